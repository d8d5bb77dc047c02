"""EV of a hand's settings against its conditional opponents.

All settings of a hand meet the same opponents. Payments are whole units, so every sum is exact
and the order of summing, or the number of threads, cannot change a result.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import inlined, kernel, merged, part
from evaluator.kernels import (
    Workspace,
    canonical,
    find_frontier,
    rank_subsets,
    relabel,
    relabel_back,
    split_masks,
    swap_settings,
)
from evaluator.ranking import Tables
from solver.candidates import candidate, find_candidates
from solver.opponents import (
    FIRST_LOOK,
    Columns,
    Field,
    Met,
    Space,
    add_by_record,
    mean_and_error,
    meet,
    opponent,
    spread,
)
from solver.scoring import Side, Terms, Worths, pay, royalty_units

I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_GROWTH = 4  # times as many opponents at the next look
CERTAIN = 4.0  # standard errors
_COUNTED = 1 << 14  # opponents at a time, for counts that fit an int16


class Results(NamedTuple):
    """What is found out about hands; (h, top, ...) arrays, settings best first, pair units."""

    rows: I64  # (h, top, 3) back, middle, front as sets of cards
    strengths: I16  # (h, top, 3)
    ev: F64  # (h, top)
    se: F64
    gap: F64
    gap_se: F64
    win: F64  # (h, top, 3)
    tie: F64
    scoop: F64  # (h, top)
    scooped: F64
    royalties: F64
    surrender_ev: F64  # (h,) 0 where nobody may
    surrender_se: F64
    listed: I64  # (h,) settings listed, at most top
    samples: I64  # (h,) conditional opponents


def results(hands: int, top: int) -> Results:
    """Return arrays for the results of some hands, all zero."""
    return Results(
        rows=np.zeros((hands, top, 3), np.int64),
        strengths=np.zeros((hands, top, 3), np.int16),
        ev=np.zeros((hands, top)),
        se=np.zeros((hands, top)),
        gap=np.zeros((hands, top)),
        gap_se=np.zeros((hands, top)),
        win=np.zeros((hands, top, 3)),
        tie=np.zeros((hands, top, 3)),
        scoop=np.zeros((hands, top)),
        scooped=np.zeros((hands, top)),
        royalties=np.zeros((hands, top)),
        surrender_ev=np.zeros(hands),
        surrender_se=np.zeros(hands),
        listed=np.zeros(hands, np.int64),
        samples=np.zeros(hands, np.int64),
    )


@merged
def race(
    candidates: int,
    keep: int,
    met: int,
    setting: int,
    terms: Terms,
    worths: Worths,
    work: Workspace,
    space: Space,
) -> int:
    """Score the candidates on all opponents who set, dropping on the way those clearly behind.

    They have met the first ``met`` already, and ``space.sums`` has what they won there.

    All of them meet the first 256 opponents. Whoever then trails the best ``keep`` by more than
    ``CERTAIN`` standard errors of the difference, and by more than any single opponent could
    make up for, is out; the rest meet four times as many, and so on. Of a normal variable 3 in
    100,000 are that far off, and of the settings only a handful are close enough to the best for
    such an error to drop it, at one of three or four looks: the risk is below 1 in 1,000, and
    what is lost then is the small lead of the best. (The errors take the spread that the first
    256 show, and need no clusters, as few opponents met so early share a record.)

    Returns how many are left, first in ``work``, their totals in ``space.sums``.
    """
    begin, end = met, max(FIRST_LOOK, _GROWTH * met)
    while begin < setting:
        end = min(end, setting)
        add_scores(begin, end, candidates, terms, worths, work, space)
        if end < setting and candidates > keep:
            candidates = drop_behind(candidates, keep, end, terms, worths, work, space)
        begin, end = end, _GROWTH * end
    return candidates


@merged
def add_scores(
    begin: int,
    end: int,
    candidates: int,
    terms: Terms,
    worths: Worths,
    work: Workspace,
    space: Space,
) -> None:
    """Add to ``space.sums`` what each candidate wins from some of the opponents."""
    for first in range(begin, end, terms.block):
        block = _block(space.columns, first, min(end, first + terms.block))
        for i in range(candidates):
            hero = candidate(i, terms, worths, work)
            if terms.royalties:
                space.sums[i] += _sum_royal(hero, block, terms)
            else:
                space.sums[i] += _sum_plain(hero, block.back, block.middle, block.front, terms)


@part
def drop_behind(
    candidates: int,
    keep: int,
    met: int,
    terms: Terms,
    worths: Worths,
    work: Workspace,
    space: Space,
) -> int:
    """Drop the candidates that after ``met`` opponents trail the best ``keep`` for sure."""
    for place in range(keep):  # bring the best to the front, in order
        bring_forward(place, candidates, work, space)
    last = candidate(keep - 1, terms, worths, work)
    columns = _block(space.columns, 0, FIRST_LOOK)
    for i in range(FIRST_LOOK):
        space.first[i] = pay(last, opponent(i, columns), terms) >> terms.shift
    kept = keep
    for i in range(keep, candidates):
        lead = space.sums[keep - 1] - space.sums[i]
        squares = _sum_squares(
            candidate(i, terms, worths, work), space.first, space.second, columns, terms
        )
        error = np.sqrt(squares * met / FIRST_LOOK) * (1 << terms.shift)
        if lead <= CERTAIN * error + 2 * terms.biggest:
            swap_settings(kept, i, work)
            space.sums[kept], space.sums[i] = space.sums[i], space.sums[kept]
            kept += 1
    return kept


@inlined
def _sum_squares(hero: Side, scores: I16, others: I16, columns: Columns, terms: Terms) -> np.int32:
    """Sum the squared differences between scores and those of a setting, in units of a shift.

    Two short loops, as one that widens to int32 becomes poor vector instructions.
    """
    for i in range(FIRST_LOOK):
        others[i] = pay(hero, opponent(i, columns), terms) >> terms.shift
    total = np.int32(0)
    for i in range(FIRST_LOOK):
        difference = np.int32(scores[i] - others[i])
        total = np.int32(total + np.int32(difference * difference))
    return total


@inlined
def _block(columns: Columns, begin: int, end: int) -> Columns:
    return Columns(
        columns.back[begin:end],
        columns.middle[begin:end],
        columns.front[begin:end],
        columns.back_worth[begin:end],
        columns.middle_worth[begin:end],
        columns.front_worth[begin:end],
        columns.extra[begin:end],
    )


@inlined
def _sum_royal(hero: Side, block: Columns, terms: Terms) -> np.int16:
    """Sum what a setting wins from the opponents of a block under any rules."""
    total = np.int16(0)
    for i in range(block.back.shape[0]):
        total = np.int16(total + pay(hero, opponent(i, block), terms))
    return total


@inlined
def _sum_plain(hero: Side, back: I16, middle: I16, front: I16, terms: Terms) -> np.int16:
    """Sum the same where every row is worth its unit, which saves loading the worths."""
    total = np.int16(0)
    worths = hero.back_worth, hero.middle_worth, hero.front_worth, hero.extra
    for i in range(back.shape[0]):
        other = Side(back[i], middle[i], front[i], *worths)
        total = np.int16(total + pay(hero, other, terms))
    return total


@merged
def _best_candidate(first: int, candidates: int, work: Workspace, space: Space) -> int:
    """Return the candidate, from ``first`` on, with the largest sum.

    Of equals it is the one with the strongest back, then middle, so that their order says nothing.
    """
    best = first
    for i in range(first + 1, candidates):
        ahead = space.sums[i] - space.sums[best]
        if ahead == 0:
            ahead = np.int64(work.backs[i]) - work.backs[best]
        if ahead == 0:
            ahead = np.int64(work.middles[i]) - work.middles[best]
        if ahead > 0:
            best = i
    return best


@part
def bring_forward(place: int, candidates: int, work: Workspace, space: Space) -> None:
    """Put the best candidate from ``place`` on into that place."""
    best = _best_candidate(place, candidates, work, space)
    swap_settings(place, best, work)
    space.sums[place], space.sums[best] = space.sums[best], space.sums[place]


@part
def describe(
    hero: Side, place: int, met: Met, terms: Terms, space: Space, h: int, results: Results
) -> None:
    """Write what a setting is worth and how its rows fare, ``place`` 0 being the best setting."""
    scores = space.scores[: met.opponents]
    for i in range(met.setting):
        scores[i] = pay(hero, opponent(i, space.columns), terms)
    for i in range(met.setting, met.opponents):
        scores[i] = space.fixed[i]
    sums = space.by_record[: met.opponents + met.clusters]
    add_by_record(scores, met, space, sums)
    results.ev[h, place], results.se[h, place] = mean_and_error(sums, met, space)
    best = space.best[: sums.shape[0]]
    if place == 0:
        for i in range(sums.shape[0]):
            best[i] = sums[i]
    for i in range(sums.shape[0]):
        sums[i] = best[i] - sums[i]
    results.gap[h, place], results.gap_se[h, place] = mean_and_error(sums, met, space)

    counts = space.counts
    counts[:] = 0
    for begin in range(0, met.setting, _COUNTED):
        block = _block(space.columns, begin, min(met.setting, begin + _COUNTED))
        _count(hero, block, terms, counts)
    for row in range(3):
        results.win[h, place, row] = counts[row] / met.opponents
        results.tie[h, place, row] = counts[3 + row] / met.opponents
    results.scoop[h, place] = counts[6] / met.opponents
    results.scooped[h, place] = counts[7] / met.opponents
    royalties = np.int64(0)
    if terms.royalties:
        for i in range(met.setting):
            royalties += royalty_units(hero, opponent(i, space.columns), terms)
    results.royalties[h, place] = royalties / met.opponents


@merged
def _surrender(met: Met, terms: Terms, space: Space, h: int, results: Results) -> None:
    """Write what surrendering is worth: its price to those who set, and naturals are paid first."""
    scores = space.scores[: met.opponents]
    scores[: met.setting] = -terms.surrender
    for i in range(met.setting, met.opponents):
        scores[i] = min(space.fixed[i], 0)
    results.surrender_ev[h], results.surrender_se[h] = spread(scores, met, space)


@inlined
def _count(hero: Side, block: Columns, terms: Terms, counts: I64) -> None:
    """Add the rows won and tied, back first, and how often it is all three or none."""
    # as if there was no banker: equal rows are ties
    own_back = np.int16(hero.back ^ terms.banker)
    own_middle = np.int16(hero.middle ^ terms.banker)
    own_front = np.int16(hero.front ^ terms.banker)
    backs = middles = fronts = same_backs = same_middles = same_fronts = np.int16(0)
    scoops = scooped = np.int16(0)
    for i in range(block.back.shape[0]):
        back, middle, front = block.back[i], block.middle[i], block.front[i]
        backs = np.int16(backs + (own_back > back))
        middles = np.int16(middles + (own_middle > middle))
        fronts = np.int16(fronts + (own_front > front))
        same_backs = np.int16(same_backs + (own_back == back))
        same_middles = np.int16(same_middles + (own_middle == middle))
        same_fronts = np.int16(same_fronts + (own_front == front))
        won = (own_back > back) & (own_middle > middle) & (own_front > front)
        lost = (own_back < back) & (own_middle < middle) & (own_front < front)
        scoops = np.int16(scoops + won)
        scooped = np.int16(scooped + lost)
    counts[0] += backs
    counts[1] += middles
    counts[2] += fronts
    counts[3] += same_backs
    counts[4] += same_middles
    counts[5] += same_fronts
    counts[6] += scoops
    counts[7] += scooped


def solve_hands(
    hands: I64,
    field: Field,
    terms: Terms,
    worths: Worths,
    table: Tables,
    seed: int,
    wanted: int,
    work: Workspace,
    space: Space,
    results: Results,
) -> None:
    """Score every candidate setting of each hand (h,) and write the best ones into row h.

    A hand is solved in its standard suits, so hands that differ by the names of suits meet the
    same opponents. Where fewer than two exist, no setting is listed.
    """
    opened = field, terms, worths, table, seed, wanted, work, space
    if terms.rising and not terms.broken:
        _solve_hands(hands, 0, *opened, results)
        return
    # Few rules need more than the frontier; the others are spared compiling how that is found.
    for h in range(len(hands)):
        searched = _search(hands[h], field, terms, worths, table, work)
        row = Results._make(column[h : h + 1] for column in results)
        _solve_hands(hands[h : h + 1], searched, *opened, row)


@kernel
def _search(
    hand: int, field: Field, terms: Terms, worths: Worths, table: Tables, work: Workspace
) -> int:
    """Find the candidates of a hand in its standard suits; return how many."""
    hand = relabel(hand, field.relabellings[canonical(hand, field.relabellings)])
    rank_subsets(hand, table, work)
    return find_candidates(hand, terms, worths, table, work)


@kernel
def _solve_hands(
    hands: I64,
    searched: int,
    field: Field,
    terms: Terms,
    worths: Worths,
    table: Tables,
    seed: int,
    wanted: int,
    work: Workspace,
    space: Space,
    results: Results,
) -> None:
    """Solve hands whose frontiers are their candidates, or one ``searched`` for so many."""
    for h in range(hands.shape[0]):
        suits = field.relabellings[canonical(hands[h], field.relabellings)]
        hand = relabel(hands[h], suits)
        met = meet(hand, field, terms, seed, wanted, space)
        results.samples[h] = met.opponents
        if met.opponents < 2:
            continue
        candidates = searched
        if searched == 0:
            rank_subsets(hand, table, work)
            candidates = find_frontier(table, work)
        listed = min(candidates, results.ev.shape[1])
        space.sums[:candidates] = 0
        candidates = race(candidates, listed, 0, met.setting, terms, worths, work, space)
        results.listed[h] = listed
        if terms.may_surrender:
            _surrender(met, terms, space, h, results)
        for place in range(listed):
            bring_forward(place, candidates, work, space)
            hero = candidate(place, terms, worths, work)
            describe(hero, place, met, terms, space, h, results)
            rows = split_masks(work.splits[place], table, work)
            for row in range(3):
                results.rows[h, place, row] = relabel_back(rows[row], suits)
            results.strengths[h, place, 0] = work.backs[place]
            results.strengths[h, place, 1] = work.middles[place]
            results.strengths[h, place, 2] = work.fronts[place]
