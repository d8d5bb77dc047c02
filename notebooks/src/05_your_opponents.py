# %% [markdown]
# # Your opponents: answering people you know
#
# Equilibrium players cannot be beaten, and answering them is safe against anybody. But if you have
# written down how your opponents set their hands, you can win more from *them*.
#
# `recorded.csv` beside this notebook is **made up**: `scripts/recorded_settings` deals the hands
# and sets them as three invented players would, who each go by a rule of thumb. Your own file
# needs the same columns `back`, `middle` and `front`, in any notation of cards; others are
# ignored.

# %%
import numpy as np
import polars as pl
from IPython.display import Markdown
from matplotlib import pyplot as plt

from solver import compare, deal, load_rules, solve, solve_many, value_many
from solver.choosing import choose_pool
from solver.plots import plot_categories, plot_setting

_ = pl.Config(float_precision=3, tbl_rows=20, fmt_str_lengths=90)
FILE = "recorded.csv"
recorded = pl.read_csv(FILE)
recorded.head(6)

# %%
opponents = choose_pool(FILE, load_rules("2-4"))
ax = plot_categories(opponents)

# %% [markdown]
# ## One hand, two answers
#
# On the command line: `capsa solve CARDS --opponents recorded.csv`.

# %%
HAND = "As Kh Kd Qd Jh Jc 8h 7c 4d 3h 3c 2d 2c"
safe, sharp = solve(HAND), solve(HAND, opponents=FILE)
_, axes = plt.subplots(1, 2, figsize=(13, 3), layout="constrained")
for ax, answer in zip(axes, (safe, sharp), strict=True):
    plot_setting(answer.best, ax)
mine = compare(HAND, safe.best.setting, opponents=FILE)
Markdown(
    f"On the left the answer to equilibrium players, on the right that to these, from "
    f"{sharp.samples:,} opponents that the file has for this hand. Against these the left one "
    f"costs {mine.cost:.3f} ± {mine.cost_se:.3f} units. {' '.join(mine.words)}"
)

# %% [markdown]
# ## What exploiting them gains
#
# To measure it fairly, the settings are chosen against one half of the file and valued against the
# other: against the players they were chosen for, they would look better than they are.

# %%
hands = np.array(deal(1000, seed=5))
known, unknown = (opponents.part(slice(start, None, 2)) for start in (0, 1))
settings = np.stack(
    [solve_many(hands).settings, solve_many(hands, opponents=known).settings], axis=1
)
evs = value_many(settings, opponents=unknown)
gain = evs[:, 1] - evs[:, 0]
root = len(hands) ** 0.5
Markdown(
    f"Who answers equilibrium players wins {evs[:, 0].mean():+.3f} ± {evs[:, 0].std() / root:.3f} "
    f"units a deal from these opponents. Who answers *them* wins {evs[:, 1].mean():+.3f} ± "
    f"{evs[:, 1].std() / root:.3f}. The file is worth {gain.mean():.3f} ± "
    f"{gain.std() / root:.3f} units a deal."
)

# %% [markdown]
# ## And what it risks
#
# The sharp settings are right against those players alone. Against equilibrium players they lose.

# %%
evs = value_many(settings, seed=1)
loss = evs[:, 0] - evs[:, 1]
Markdown(
    f"Against equilibrium players they cost {loss.mean():.3f} ± {loss.std() / root:.3f} units a "
    f"deal. A wrong guess about who sits there costs {loss.mean() / gain.mean():.1f} times what a "
    "right one gains."
)

# %% [markdown]
# ## Who is worth knowing
#
# The same for each player: half of his hands to choose by, half to value. It is players who set
# badly that are worth knowing; from one who sets well there is little to gain.

# %%
lines = []
for name in recorded["player"].unique(maintain_order=True):
    places = np.flatnonzero(recorded["player"] == name)
    half, rest = opponents.part(places[::2]), opponents.part(places[1::2])
    pair = np.stack([settings[:, 0], solve_many(hands, opponents=half).settings], axis=1)
    evs = value_many(pair, opponents=rest)
    gain = evs[:, 1] - evs[:, 0]
    lines.append(
        {
            "player": name,
            "safe answer wins": evs[:, 0].mean(),
            "sharp answer wins": evs[:, 1].mean(),
            "gain": gain.mean(),
            "±": gain.std() / root,
        }
    )
players = pl.DataFrame(lines)
players

# %%
_, ax = plt.subplots(figsize=(6.4, 2.2), layout="constrained")
ax.barh(
    players["player"],
    players["gain"],
    xerr=1.96 * players["±"],
    capsize=4,
    color="0.8",
    edgecolor="black",
)
ax.axvline(0, color="black", linewidth=0.8)
ax.invert_yaxis()
_ = ax.set_xlabel("gain by the sharp answer in units a deal, with 95 % intervals")
