# %% [markdown]
# # How sure are the numbers?
#
# An EV can be off for two reasons: chance, since it comes from a sample of opponents, and the
# opponents themselves, who may not play as those at your table do. The standard error speaks of
# the first alone.

# %%
import numpy as np
import polars as pl
from IPython.display import Markdown, display
from matplotlib import pyplot as plt

from solver import deal, load_rules, solve_many, value_many
from solver.choosing import choose_pool
from solver.rules import preset_names
from solver.shelf import about_pool, shipped_path
from solver.strategies import THUMBS, settings_by, strategy_pool

_ = pl.Config(float_precision=5, tbl_rows=20, fmt_str_lengths=90)
pool = choose_pool("equilibrium", load_rules("2-4"))
one, other = (pool.part(slice(start, None, 2)) for start in (0, 1))  # no record is in both
hands = np.array(deal(1000, seed=4))

# %% [markdown]
# ## Error against number of opponents
#
# Hands are solved with some opponents of one half of the pool, and the settings valued once more
# with as many of the other half. The two EVs should differ by the standard errors told, and lie
# within 1.96 of them in 95 % of the cases. What the chosen settings lose against those chosen with
# 10,000 opponents is measured on the other half, too.

# %%
reference = solve_many(hands, opponents=one).settings
lines = []
for samples in (100, 200, 500, 1000, 2000, 5000):
    found = solve_many(hands, opponents=one, samples=samples, seed=1)
    again = value_many(found.settings[:, None], opponents=other, samples=samples)[:, 0]
    difference = found.ev - again
    both = value_many(np.stack([reference, found.settings], axis=1), opponents=other)
    lines.append(
        {
            "opponents": samples,
            "error told": (found.se**2).mean() ** 0.5,
            "error found": ((difference**2).mean() / 2) ** 0.5,
            "covered, %": 100 * (abs(difference) <= 1.96 * 2**0.5 * found.se).mean(),
            "units lost by the choice": (both[:, 0] - both[:, 1]).mean(),
        }
    )
errors = pl.DataFrame(lines)
errors

# %%
_, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for name, style in {
    "error told": "o-",
    "error found": "s--",
    "units lost by the choice": "^:",
}.items():
    ax.plot(
        errors["opponents"], errors[name], style, color="black", markerfacecolor="white", label=name
    )
ax.set(xscale="log", yscale="log", xlabel="opponents", ylabel="units a deal")
ax.grid(color="0.85")
_ = ax.legend()

# %%
covered = errors["covered, %"]
first, last = errors.row(0, named=True), errors.row(-1, named=True)
Markdown(
    f"{last['opponents'] // first['opponents']} times as many opponents make the error of an EV "
    f"{first['error told'] / last['error told']:.1f} times smaller; it falls a little slower than "
    "with the root, as many opponents come from the same records under other names of the suits. "
    f"{covered.min():.1f} to {covered.max():.1f} % of the differences are within their limits. "
    f"With {first['opponents']} opponents the choice loses "
    f"{first['units lost by the choice']:.4f} units a deal, though a single EV is off by "
    f"{first['error found']:.2f}: settings are compared against the same opponents, and what is "
    "hard to tell apart is nearly as good."
)

# %% [markdown]
# ## How good the opponents are
#
# The game is fair, so a player is judged by his *exploitability*: what somebody who knows his
# strategy wins from him a deal. It is known between two bounds. The lower one comes from
# counter-settings chosen against half of his hands and valued against the other half, the upper
# one from settings valued where they were chosen. These were measured when the pools were made.

# %%
lines = []
for preset in preset_names():
    path = shipped_path(load_rules(preset))
    if path is None:
        continue
    measured = about_pool(path)["exploitability"]
    middle = (measured["lower"] + measured["upper"]) / 2
    bounds = {
        name: measured[name] for name in ("lower", "lower_se", "upper", "upper_se", "score_sd")
    }
    lines.append(
        {"rules": preset, **bounds, "middle": middle, "of the sd": middle / measured["score_sd"]}
    )
exploitable = pl.DataFrame(lines)
exploitable

# %%
PUBLISHED = 0.0094  # units a deal: P. Hankin's strategy of 2015, 2-4, two players, measured
ours = exploitable.row(by_predicate=pl.col("rules") == "2-4", named=True)
deals = (1.96 * ours["score_sd"] / ours["middle"]) ** 2
Markdown(
    f"The best strategy published before, for 2-4 alone, loses {PUBLISHED} units a deal to "
    f"somebody who knows it; these players lose {ours['middle']:.5f}, "
    f"{PUBLISHED / ours['middle']:.0f} times less. As one deal's score has a standard deviation of "
    f"{ours['score_sd']:.2f} units, their perfect opponent would have to play some "
    f"{deals / 1e6:,.0f} million deals to be sure of his advantage."
)

# %% [markdown]
# ## What greedy players and rules of thumb lose
#
# Measured the same way, against a small pool of each player's hands: how much better the counter-
# player does than the player himself with the same cards.

# %%
SHOWN = [
    "Strongest back, then middle",
    "A straight or better in the back, then the strongest middle",
    "The largest product of the three strengths",
    "Most points: 1 for a pair, 2 for two pairs, up to 8 for a straight flush, in all rows",
]
lines = []
for name in SHOWN:
    players = strategy_pool(name, THUMBS[name], records=8192)
    halves = [players.part(slice(start, None, 2)) for start in (0, 1)]
    counter = solve_many(hands, opponents=halves[0]).settings
    both = np.stack([counter, settings_by([THUMBS[name]], hands)[:, 0]], axis=1)
    line = {"player": name}
    for bound, half in {"upper": halves[0], "lower": halves[1]}.items():
        evs = value_many(both, opponents=half)
        gain = evs[:, 0] - evs[:, 1]
        line |= {bound: gain.mean(), f"{bound}_se": gain.std(ddof=1) / len(hands) ** 0.5}
    lines.append(line)
with pl.Config(float_precision=3):
    display(pl.DataFrame(lines).select("player", "lower", "lower_se", "upper", "upper_se"))
