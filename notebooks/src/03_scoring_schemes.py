# %% [markdown]
# # Scoring schemes: does it matter which rules you play?
#
# The same hands under five rule sets. Each is set best for each of the schemes, against the
# equilibrium players of that scheme. How often does the best setting change, and what does it cost
# to play by the wrong scheme?

# %%
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
from IPython.display import Markdown
from matplotlib import pyplot as plt

from evaluator import Cards, Category
from evaluator.ranking import categories, row_strengths
from solver import compare, deal, load_rules, solve_many, value_many
from solver.many import CARD_ROWS
from solver.plots import KINDS, plot_heat_map

_ = pl.Config(float_precision=1, tbl_rows=20, fmt_str_lengths=90)
SCHEMES = ["plain", "2-4", "1-6", "2-4-royalties", "shisanshui"]
SAMPLES = 1000
hands = np.array(deal(10_000, seed=3))


def solved(scheme):
    return solve_many(hands, scheme, samples=SAMPLES).settings


with ThreadPoolExecutor() as threads:
    best = np.stack(list(threads.map(solved, SCHEMES)), axis=1)

# %% [markdown]
# Where A-2-3-4-5 is the second-best straight, a few settings that are in order elsewhere would be
# fouls, and the other way round. Those hands are left out.


# %%
def fouls(settings, wheel):
    """Which settings have their rows out of order under a wheel."""
    strengths = np.stack([row_strengths(settings[..., row], wheel) for row in CARD_ROWS], axis=-1)
    return (np.diff(strengths, axis=-1) > 0).any(axis=-1)


kept = ~np.any([fouls(best, load_rules(scheme).wheel) for scheme in SCHEMES], axis=(0, 2))
best = best[kept]
Markdown(f"{len(hands) - len(best)} of {len(hands):,} hands are left out.")

# %% [markdown]
# ## How often the best setting changes
#
# In per cent of the hands: on the left if any row has another strength, on the right if any row is
# of another category, such as a pair in place of two.

# %%
strengths = np.stack([row_strengths(best[..., row]) for row in CARD_ROWS], axis=-1)
changes = []
for rows in (strengths, categories()[strengths]):
    differs = (rows[:, :, None] != rows[:, None]).any(axis=3).mean(axis=0)
    np.fill_diagonal(differs, np.nan)
    changes.append(100 * differs)
_, axes = plt.subplots(1, 2, figsize=(12, 3.6), layout="constrained")
for ax, differs, what in zip(axes, changes, ("setting", "category"), strict=True):
    plot_heat_map(differs, SCHEMES, SCHEMES, f"% of hands with another {what}", ax)

# %% [markdown]
# Some of that is chance: where two settings are nearly as good, other opponents may decide for the
# other one. The same scheme solved against another draw of its opponents shows how much.

# %%
again = solve_many(hands[kept], "2-4", samples=SAMPLES, seed=1).settings
other = np.stack([row_strengths(again[..., row]) for row in CARD_ROWS], axis=-1)
first = strengths[:, SCHEMES.index("2-4")]
by_chance = (other != first).any(axis=1).mean()
kind_by_chance = (categories()[other] != categories()[first]).any(axis=1).mean()
most = np.unravel_index(np.nanargmax(changes[1]), changes[1].shape)
Markdown(
    f"By chance alone {by_chance:.1%} of the 2-4 settings change, {kind_by_chance:.1%} in their "
    f"categories. Categories differ most between {SCHEMES[most[0]]} and {SCHEMES[most[1]]}: in "
    f"{np.nanmax(changes[1]):.1f} % of the hands."
)

# %% [markdown]
# How it changes: what is set in each row, in per cent of the hands.

# %%
kinds = categories()[strengths]
AT_LEAST = {"front": Category.PAIR, "middle": Category.TWO_PAIR, "back": Category.FLUSH}
pl.DataFrame(
    {
        "scheme": scheme,
        **{
            f"{row}: {KINDS[kind]} or better": 100 * (kinds[:, place, column] >= kind).mean()
            for column, (row, kind) in zip((2, 1, 0), AT_LEAST.items(), strict=True)
        },
    }
    for place, scheme in enumerate(SCHEMES)
)

# %% [markdown]
# ## What playing by the wrong scheme costs
#
# Settings that are best for the scheme of the column, played under the scheme of the line, against
# the line's equilibrium and other opponents than those that they were chosen against.

# %%
costs = np.zeros((len(SCHEMES), len(SCHEMES)))
errors = np.zeros_like(costs)
for line, scheme in enumerate(SCHEMES):
    evs = value_many(best, scheme, samples=SAMPLES, seed=2)
    lost = evs[:, [line]] - evs
    costs[line], errors[line] = lost.mean(axis=0), lost.std(axis=0, ddof=1) / len(lost) ** 0.5
pl.DataFrame(
    {
        "played": scheme,
        **{
            f"set for {other}": "" if other == scheme else f"{cost:.3f} ± {error:.3f}"
            for other, cost, error in zip(SCHEMES, costs[line], errors[line], strict=True)
        },
    }
    for line, scheme in enumerate(SCHEMES)
)

# %%
line, column = np.unravel_index(costs.argmax(), costs.shape)
Markdown(
    f"Most is lost by who sets {SCHEMES[line]} hands as if the rules were {SCHEMES[column]}: "
    f"{costs[line, column]:.3f} ± {errors[line, column]:.3f} units a deal."
)

# %% [markdown]
# ## A hand that changes
#
# Of all these hands, the one that costs most when 1-6 is played with its 2-4 setting.

# %%
evs = value_many(best, "1-6", samples=SAMPLES, seed=2)
worst = int((evs[:, SCHEMES.index("1-6")] - evs[:, SCHEMES.index("2-4")]).argmax())
hand = best[worst, 0].tolist()
mine = compare(
    hand, [Cards(best[worst, SCHEMES.index("2-4")][row].tolist()) for row in CARD_ROWS], rules="1-6"
)
Markdown(
    f"{Cards(hand)}\n\n2-4: {mine.scored.setting}\n\n1-6: {mine.solution.best.setting}\n\n"
    f"Under 1-6 the first costs {mine.cost:.3f} ± {mine.cost_se:.3f} units. {' '.join(mine.words)}"
)
