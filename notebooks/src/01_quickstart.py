# %% [markdown]
# # Quickstart: one hand
#
# In Chinese poker you split 13 cards into a **back** and a **middle** of five cards and a
# **front** of three, no row weaker than the one in front of it. Then every row is compared with
# that of each opponent, and the loser pays the winner in *units*. Capsa looks for the split that
# wins most.

# %%
import polars as pl
from IPython.display import Markdown

from solver import compare, explain, solve
from solver.plots import plot_evs, plot_setting

_ = pl.Config(float_precision=3, tbl_rows=20, fmt_str_lengths=60)
HAND = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
solution = solve(HAND)
solution

# %% [markdown]
# The opponents are `equilibrium` players, whom nobody can beat in the long run. This is how the
# best setting lies on the table, and how often each of its rows wins:

# %%
ax = plot_setting(solution.best)

# %% [markdown]
# ## What the numbers mean

# %%
best, second = solution.best, solution.second
Markdown(
    f"""
- **EV** is what the setting wins on average, in units from all opponents together:
  {best.ev:+.3f} here.
- **±** is the standard error. The opponents' cards are a sample of {solution.samples:,} hands that
  hold none of yours, so about 95 times in 100 the true EV lies within twice the error: between
  {best.ev - 1.96 * best.se:+.3f} and {best.ev + 1.96 * best.se:+.3f}.
- **costs** is how much less another setting wins. All settings meet the same opponents, so what
  they cost is known far better than what they are worth: the second setting costs
  {second.gap:.3f} ± {second.gap_se:.3f}.
- The answer is **settled** if the best setting leads the second by about twice the error of that
  cost, or if the two are as good as equal: {"yes" if solution.settled else "no"}, in this case.
"""
)

# %%
ax = plot_evs(solution)

# %% [markdown]
# As a data frame, for example to see the chances of each row:

# %%
solution.to_frame().select(
    *("rank", "ev", "gap", "front", "middle", "back"), "front_win", "middle_win", "back_win"
)

# %% [markdown]
# ## Your own setting
#
# Say you would rather keep both pairs together in the middle, and play the strongest flush.

# %%
mine = compare(HAND, "As Ks Qs 6s 5s / Js Jd 3s 3c 2h / Qh 9h 8c")
Markdown(
    f"It costs **{mine.cost:.3f} ± {mine.cost_se:.3f} units** a deal, and is number {mine.rank:,} "
    f"of your {mine.legal_settings:,} legal settings. {' '.join(mine.words)}"
)

# %% [markdown]
# ## Where an EV comes from
#
# The parts of an EV add up to it. Units won for more rows than the opponent are the *majority*;
# these rules know no royalties.

# %%
explained = explain(HAND, top=3)
frame = pl.DataFrame(
    {"setting": str(scored.setting), **parts.to_dict(), "EV": scored.ev}
    for scored, parts in zip(explained.solution.settings, explained.parts, strict=True)
)
frame.select(column for column in frame if column.name == "setting" or (column != 0).any())

# %% [markdown]
# ## Other rules, more players
#
# Rules and players are options. `capsa rules list` tells all presets.

# %%
answers = [
    solve(HAND, rules=rules, players=players)
    for rules in ("plain", "2-4", "1-6", "shisanshui")
    for players in (2, 4)
]
pl.DataFrame(
    {
        "rules": answer.rules,
        "players": answer.players,
        "best setting": str(answer.best.setting),
        "EV": answer.ev,
        "±": answer.se,
    }
    for answer in answers
)
