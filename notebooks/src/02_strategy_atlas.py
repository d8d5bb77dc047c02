# %% [markdown]
# # Strategy atlas: what good players set
#
# The pool of equilibrium players for 2-4 scoring is a strategy written down: for every one of its
# hands the rows that its owner sets. This notebook looks at what they have in common.

# %%
from itertools import combinations

import numpy as np
import polars as pl
from IPython.display import Markdown
from matplotlib import pyplot as plt

from evaluator import Category, row_name, row_strength
from evaluator.cards import RANKS
from evaluator.ranking import categories, first_ranks, row_class, tables
from solver import deal, load_rules, solve_many, value_many
from solver.atlas import category_shares, win_curves
from solver.choosing import choose_pool
from solver.plots import KINDS, plot_categories, plot_heat_map, plot_win_curves
from solver.strategies import THUMBS, row_by_row, settings_by, strategy_pool

_ = pl.Config(float_precision=2, tbl_rows=20, fmt_str_lengths=90)
pool = choose_pool("equilibrium", load_rules("2-4"))
back, middle, front = pool.strengths.T.astype(np.int64)
curves = win_curves(pool)
Markdown(f"The pool has {len(pool.hands):,} hands.")

# %% [markdown]
# ## How often each category is set

# %%
ax = plot_categories(pool)

# %% [markdown]
# The best strategy published so far is that of P. Hankin (2015), who printed these shares for it.
# It takes a row's chance to win as if the rows had nothing to do with each other, and knows
# nothing of the cards that the player holds himself. Such a player is easily made: he adds up the
# chances of his rows against the pool.

# %%
PUBLISHED = {  # P. Hankin, 2015, in per cent
    "front": [46.4, 53.0, None, 0.7, None, None, None, None, None],
    "middle": [1.2, 34.5, 27.8, 10.3, 17.5, 7.9, 0.7, None, None],
    "back": [0.0, 1.6, 12.8, 1.1, 21.5, 29.1, 30.5, 2.6, 0.9],
}
ours = dict(zip(("back", "middle", "front"), 100 * category_shares(pool), strict=True))
independent = strategy_pool("row by row", row_by_row(curves))
theirs = dict(zip(ours, 100 * category_shares(independent), strict=True))
pl.DataFrame(
    {
        "row": row,
        "category": kind,
        "equilibrium, %": ours[row][k],
        "± %": 100 * (ours[row][k] / 100 * (1 - ours[row][k] / 100) / len(pool.hands)) ** 0.5,
        "published, %": PUBLISHED[row][k],
        "row by row, %": theirs[row][k],
    }
    for row in PUBLISHED
    for k, kind in enumerate(KINDS)
    if PUBLISHED[row][k] is not None
)

# %%
told = [(row, k) for row, shares in PUBLISHED.items() for k in range(9) if shares[k] is not None]
published, independent_by = (
    np.array([shares[row][k] - ours[row][k] for row, k in told]) for shares in (PUBLISHED, theirs)
)
Markdown(
    f"The published shares differ from the equilibrium's by up to {abs(published).max():.1f} "
    "percentage points, far more than chance. The player who adds up his rows' chances differs by "
    f"up to {abs(independent_by).max():.1f} points although he meets the same opponents, and in "
    "the same way: the correlation of the two columns of differences is "
    f"{np.corrcoef(published, independent_by)[0, 1]:.2f}. So most of it comes from taking the "
    "rows one by one: more pairs stand in front, since a front that wins is worth less where it "
    "makes the middle lose, and only the rows together tell."
)

# %% [markdown]
# ## Medians and quartiles
#
# A quarter of all rows are weaker than the first column, half are weaker than the second.


# %%
def described(strength):
    """Name a row, with the ranks that decide it."""
    ranks = "".join(RANKS[rank] for rank in row_class(strength).ranks)
    return f"{row_name(strength)} ({ranks})"


pl.DataFrame(
    {
        "row": row,
        **{
            name: described(int(np.quantile(strengths, share, method="lower")))
            for name, share in {"quarter": 0.25, "half": 0.5, "three quarters": 0.75}.items()
        },
    }
    for row, strengths in {"front": front, "middle": middle, "back": back}.items()
)

# %% [markdown]
# ## How often a row wins
#
# Against all opponents alike, ties counting half.

# %%
ax = plot_win_curves(pool)

# %% [markdown]
# Some rows beside the shares that Hankin printed for his strategy: of the rows that it sets, how
# many does this one beat or tie?

# %%
KNOWN = {
    "front": {"As Kd 2c": 0.36, "2s 2d 3c": 0.46, "Ks Kd 2c": 0.84, "As Ad 2c": 0.92},
    "middle": {
        "As Ad 4c 3h 2d": 0.27,
        "3s 3d 2s 2d 4c": 0.36,
        "2s 2d 2c 4h 3d": 0.64,
        "As Kd Qc Jh Td": 0.91,
    },
    "back": {
        "As Kd Qc Jh Td": 0.37,
        "As 6s 4s 3s 2s": 0.53,
        "As Ks Qs Js 9s": 0.66,
        "2s 2d 2c Ah As": 0.66,
        "2s 2d 2c 2h As": 0.96,
    },
}
columns = {"front": front, "middle": middle, "back": back}
pl.DataFrame(
    {
        "row": row,
        "cards": cards,
        "beats or ties here": float((columns[row] <= row_strength(cards)).mean()),
        "published": published,
    }
    for row, rows in KNOWN.items()
    for cards, published in rows.items()
)

# %% [markdown]
# ## How good a pair in front is

# %%
names = [f"{rank}{rank}" for rank in RANKS]
pairs = [
    [
        s
        for s in np.unique(tables().three)
        if first_ranks()[s] == r and categories()[s] == Category.PAIR
    ]
    for r in range(len(RANKS))
]
chances = [[100 * curves[2, of_rank[end]] for end in (0, -1)] for of_rank in pairs]
shares = [100 * np.isin(front, of_rank).mean() for of_rank in pairs]
_, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
left.bar(names, [best for _, best in chances], color="0.85", edgecolor="black", label="best kicker")
left.bar(
    names, [worst for worst, _ in chances], color="0.6", edgecolor="black", label="worst kicker"
)
left.set(ylabel="chance to win the front, %", ylim=(0, 100))
left.legend(loc="upper left")
right.bar(names, shares, color="0.6", edgecolor="black")
_ = right.set(ylabel="% of all fronts")

# %% [markdown]
# ## When a flush is broken
#
# Hands with five cards of a suit, or more. In how many of them is no row a flush? It depends on
# what else there is: the columns count the pairs, and the second line has trips or quads as well.

# %%
held = (pool.hands[:, None] >> np.arange(52) & 1).astype(np.int8).reshape(-1, 13, 4)
ranks, suits = held.sum(axis=2), held.sum(axis=1)
kinds = categories()[pool.strengths]
flush = suits.max(axis=1) >= 5
broken = flush & ~np.isin(kinds, (Category.FLUSH, Category.STRAIGHT_FLUSH)).any(axis=1)
pair_count, has_trips = (ranks == 2).sum(axis=1), (ranks >= 3).any(axis=1)


def share(what, among, least=100):
    """Per cent of the hands of a kind that are of another, nan if there are too few to tell."""
    return 100 * (what & among).sum() / among.sum() if among.sum() >= least else np.nan


values = [
    [share(broken, flush & (has_trips == trips) & (pair_count == pairs)) for pairs in range(6)]
    for trips in (False, True)
]
ax = plot_heat_map(
    np.array(values),
    ["no trips", "trips or quads"],
    ["no pair", "1 pair", *(f"{pairs} pairs" for pairs in range(2, 6))],
    "% of flushes broken",
)

# %%
instead = pl.Series(kinds[broken][:, 0]).value_counts(sort=True)
top = [(KINDS[kind], n / broken.sum()) for kind, n in instead.head(2).rows()]
Markdown(
    f"In all, {share(broken, flush):.1f} % of the hands with a flush do without it. What they most "
    f"often have in the back is {' or '.join(f'a {kind} ({part:.0%})' for kind, part in top)}."
)

# %% [markdown]
# ## When two pairs are split
#
# Hands with two pairs and no trips, whose back needs neither pair. Do both pairs go to the middle,
# or does one of them stand in front? The lines are the higher pair, the columns the lower one.

# %%
two = (pair_count == 2) & ~has_trips & (kinds[:, 0] >= Category.STRAIGHT)
together = two & (kinds[:, 1] == Category.TWO_PAIR)
split = two & (kinds[:, 1] == Category.PAIR) & (kinds[:, 2] == Category.PAIR)
low = (ranks == 2).argmax(axis=1)
high = 12 - (ranks == 2)[:, ::-1].argmax(axis=1)
values = np.full((12, 12), np.nan)
for lower, upper in combinations(range(13), 2):
    these = (split | together) & (high == upper) & (low == lower)
    values[12 - upper, lower] = share(split, these, 20)
ax = plot_heat_map(values, names[:0:-1], names[:-1], "% split")
_ = ax.set(xlabel="lower pair", ylabel="higher pair")

# %% [markdown]
# ## Full house: in the back, in the middle, or not at all
#
# Hands that could show a full house, by what else they could show.

# %%
trips_count = (ranks >= 3).sum(axis=1)
full = (trips_count >= 1) & ((ranks >= 2).sum(axis=1) >= 2)
quads = (ranks == 4).any(axis=1)
in_back, in_middle = (kinds[:, row] == Category.FULL_HOUSE for row in (0, 1))
others = {
    "no trips but these, no quads, no flush": full & (trips_count == 1) & ~quads & ~flush,
    "a flush": full & (trips_count == 1) & ~quads & flush,
    "two trips": full & (trips_count >= 2) & ~quads,
    "quads": full & quads,
}
lines = []
for name, among in others.items():
    without = among & ~in_back & ~in_middle
    instead = int(np.bincount(kinds[without, 0]).argmax())
    lines.append(
        {
            "also in the hand": name,
            "hands": int(among.sum()),
            "in the back, %": share(in_back & ~in_middle, among),
            "in the middle, %": share(in_middle & ~in_back, among),
            "in both, %": share(in_back & in_middle, among),
            "not set, %": share(without, among),
            "then mostly in the back": KINDS[instead],
            "of those, %": share(kinds[:, 0] == instead, without),
        }
    )
pl.DataFrame(lines)

# %% [markdown]
# ## Rules of thumb, and what they lose
#
# Each rule sets the same hands, and so does the solver. All settings of a hand meet the same
# opponents, others than those that the solver looked at when it chose.

# %%
hands = np.array(deal(1000, seed=2))
rules = {**THUMBS, "The chances of the three rows added up, as above": row_by_row(curves)}
best = solve_many(hands, opponents=pool).settings
settings = np.concatenate([best[:, None], settings_by(list(rules.values()), hands)], axis=1)
evs = value_many(settings, opponents=pool, seed=1)
costs = evs[:, :1] - evs[:, 1:]
lost = pl.DataFrame(
    {
        "rule": list(rules),
        "units lost a deal": costs.mean(axis=0),
        "±": costs.std(axis=0, ddof=1) / len(hands) ** 0.5,
        "as good as the best, %": 100 * (costs <= 0.005).mean(axis=0),
    }
).sort("units lost a deal")
lost

# %%
Markdown(
    f"The rule that loses least without a table of chances is “{lost['rule'][1]}”: "
    f"{lost['units lost a deal'][1]:.2f} units a deal. The worst, “{lost['rule'][-1]}”, loses "
    f"{lost['units lost a deal'][-1]:.2f}."
)
