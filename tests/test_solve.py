"""What `solve` says a setting is worth, against plain comparison with every opponent."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from statistics import fmean

import naive
import naive_opponents
import naive_rules
import numpy as np
import pytest
from naive_opponents import state
from naive_support import naive_rules as naive_rules_of

from evaluator.broken import broken_code
from evaluator.cards import Cards, parse_hand
from evaluator.ranking import Wheel, row_strength
from evaluator.settings import Setting, frontier
from solver.deals import deal
from solver.opening import Table, field_of, find_naturals
from solver.pool import DECLARE, SET, SURRENDER, OpponentPool
from solver.rules import Royalties, Royalty, RuleSet, Seat, load_rules, preset_names
from solver.solution import ScoredSetting, Solution
from solver.solve import Answers, run, solve
from solver.wishes import SolveError

PRESETS = preset_names()
HANDS = {
    "reference 1": "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c",
    "reference 2": "9s 7s Th Kd 6d 5d 4d 3d Kc Qc 6c 5c 4c",
    "quads": "7c 7d 7h 7s Ac Kd Qh 9s 9c 4d 3h 2s 2d",
    "trips in front": "Ah Ad As Kc Ks Kd Jh Js Jc 8d 8h 5c 2d",
    "six pairs": "2c 2d 4c 4d 6c 6d 8c 8d Tc Th Qc Qd As",
    "three flushes": "2c 3c 5c 7c 9c 2d 4d 6d 8d Td 3h 6h 9h",
    "strong flushes": "As Ks Qs Js 9s Ah Kh Jh 9h 8h Ad Kd Qd",
    "three straights": "Ac 2d 3h 4c 5d 4h 5c 6d 7h 8c 9d Th Js",
    "weak": "Ad Qd Jh Td 9c 7h 6s 6h 5c 4s 3s 3c 2c",
    "dragon": "Ac 2d 3h 4c 5d 6h 7c 8d 9h Tc Jd Qh Ks",
}
GRADED = Royalties(
    back=(Royalty("flush", None, 4), Royalty("full-house", None, 3)),
    middle=(Royalty("full-house", None, 2),),
    front=(Royalty("trips", None, 3), Royalty("pair", 12, 2)),
)
BROKEN = replace(load_rules("eastern").royalties, broken=True)
HOUSE = {
    "falling": replace(load_rules("2-4"), royalties=GRADED),
    "broken": replace(load_rules("eastern"), royalties=BROKEN),
    "limit": replace(load_rules("shisanshui"), royalties=replace(BROKEN, broken=False, limit=1)),
    "two wins": replace(load_rules("2-4"), majority_rule="two-wins"),
    "push": replace(load_rules("shisanshui"), natural_vs_natural="push", equal_kind="push"),
    "forced, flat": replace(load_rules("flat-royalties"), optional=False),
    "forced": replace(load_rules("shisanshui"), optional=False),
    "full": replace(load_rules("malaya"), natural_vs_natural="higher-full"),
    "banker with guns": replace(load_rules("shisanshui"), banker=True),
    "banker with scoops": replace(load_rules("1-6-royalties"), banker=True, majority=1),
}
BANKERS = [
    f"{name}, as the banker" for name in ("malaya", "banker with guns", "banker with scoops")
]
EDGES: dict[Seat | None, int] = {"banker": 1, "player": -1, None: 0}  # the twin's word for seats


def rules_called(name: str) -> RuleSet:
    name = name.removesuffix(", as the banker")
    return HOUSE[name] if name in HOUSE else load_rules(name)


def seat_called(name: str) -> Seat | None:
    if not rules_called(name).banker:
        return None
    return "banker" if name.endswith("banker") else "player"


# --- the slow way ---------------------------------------------------------------------------------


@cache
def chosen_hands() -> tuple[tuple[int, ...], ...]:
    """Hands of a pool, every third with a natural of some rules: more than chance deals."""
    hands = deal(20_000, seed=77)
    masks = np.array([hand.mask for hand in hands])
    held = [find_naturals(load_rules(name), masks) >= 0 for name in ("shisanshui", "eastern")]
    naturals = np.flatnonzero(held[0] | held[1])[:60]
    return tuple(tuple(hands[i]) for i in [*range(120), *naturals])


@cache
def chosen_pool(wheel: Wheel) -> OpponentPool:
    """A pool of those hands, set by the naive greedy player."""
    strengths = [
        [row_strength(row, wheel) for row in naive_opponents.greedy_setting(hand, wheel)]
        for hand in chosen_hands()
    ]
    broken = np.array([shown_by_none(hand, wheel) for hand in chosen_hands()], np.uint8)
    decisions = np.array([would_do(record) for record in range(len(strengths))], np.uint8)
    pool = OpponentPool("chosen", wheel, 0, np.array(strengths, np.int16), broken, decisions)
    vars(pool).update(hands=np.array([Cards(hand).mask for hand in chosen_hands()]))
    return pool


def would_do(record: int) -> int:
    """What the player of a record decides; most declare, if they can."""
    return {0: SET, 1: SURRENDER, 2: SURRENDER}.get(record % 8, DECLARE)


def shown_by_none(hand: tuple[int, ...], wheel: Wheel) -> int:
    """The pool's code of the quads (1) and straight flushes (2, royal 4) that no row shows."""
    back, middle, _ = (Cards(row).mask for row in naive_opponents.greedy_setting(hand, wheel))
    return broken_code(Cards(hand).mask, back, middle)


@cache
def holds(name: str, hand: tuple[int, ...], **options: str | bool) -> bool:
    return naive_rules.natural_holds(name, hand, **options)  # type: ignore[arg-type]


def natural_of(hand: Sequence[int], rules: RuleSet) -> str | None:
    """The strongest natural that the hand holds, by name."""
    for name, _, pairs, wheel_front in rules.naturals:
        options: dict[str, str | bool] = {"wheel_front": wheel_front}
        if pairs is not None:
            options["pairs"] = pairs
        if holds(name, tuple(hand), **options):
            return name
    return None


@cache
def opponents_of(text: str, name: str) -> tuple[list[int], list[naive_rules.State]]:
    """Everybody whom a hand meets: the records, and what they do."""
    rules = rules_called(name)
    relabellings = field_of(rules, chosen_pool(rules.wheel)).relabellings.tolist()
    met = naive.conditional_opponents(naive.parse(text), chosen_hands(), relabellings)
    records = [record for record, _ in met]
    states = []
    for record in records:
        hand = chosen_hands()[record]
        declares = would_do(record) == DECLARE or not rules.optional
        natural = natural_of(hand, rules) if declares else None
        surrenders = would_do(record) == SURRENDER and rules.surrender is not None and not natural
        setting = naive_opponents.greedy_setting(hand, rules.wheel)
        states.append(state(setting, natural, surrenders))
    return records, states


def scores_of(hero: naive_rules.State, text: str, name: str) -> list[int]:
    """What each opponent pays."""
    plain, edge = naive_rules_of(rules_called(name)), EDGES[seat_called(name)]
    return [
        naive_rules.pair_payment(hero, other, plain, banker=edge)
        for other in opponents_of(text, name)[1]
    ]


def solved(text: str, name: str, players: int = 2, top: int = 3) -> Solution:
    rules = rules_called(name)
    seat = seat_called(name)
    return solve(text, rules, players, chosen_pool(rules.wheel), top=top, seat=seat)


def check_setting(scored: ScoredSetting, best: Sequence[int], text: str, name: str) -> None:
    """Compare everything said of a setting with the payments and rows themselves."""
    rules = rules_called(name)
    plain = naive_rules_of(rules)
    records, states = opponents_of(text, name)
    hero = state(scored.setting)
    scores = scores_of(hero, text, name)
    assert scored.ev == pytest.approx(fmean(scores), abs=1e-12)
    assert scored.se == pytest.approx(naive.clustered_standard_error(scores, records))
    gaps = [top - score for top, score in zip(best, scores, strict=True)]
    assert scored.gap == pytest.approx(fmean(gaps), abs=1e-12)
    expected = naive.clustered_standard_error(gaps, records)
    assert scored.gap_se == pytest.approx(expected, abs=1e-12)

    playing = [other for other in states if sets(other)]
    results = [naive_rules.strict_results(hero, other, plain) for other in playing]
    for row, row_results in zip(naive_rules.ROWS, zip(*results, strict=True), strict=True):
        assert getattr(scored.win, row) == row_results.count(1) / len(states)
        assert getattr(scored.tie, row) == row_results.count(0) / len(states)
    assert scored.scoop == results.count([1, 1, 1]) / len(states)
    assert scored.scooped == results.count([-1, -1, -1]) / len(states)
    edge = EDGES[seat_called(name)]
    royalties = sum(royalties_between(hero, other, plain, edge) for other in playing)
    assert scored.royalties == pytest.approx(royalties / len(states), abs=1e-12)


def sets(player: naive_rules.State) -> bool:
    return not player["declare"] and not player["surrender"]


def royalties_between(
    a: naive_rules.State, b: naive_rules.State, plain: naive_rules.Rules, edge: int
) -> int:
    results = [result or edge for result in naive_rules.strict_results(a, b, plain)]
    total = naive_rules.broken_royalty(a, plain) - naive_rules.broken_royalty(b, plain)
    for player, sign in ((a, 1), (b, -1)):
        rows = [row for row, r in zip(naive_rules.ROWS, results, strict=True) if r == sign]
        if plain["royalties"]["collect"] == "both":
            rows = list(naive_rules.ROWS)
        total += sign * naive_rules.royalties_paid(player, rows, plain)
    return total


# --- EVs ------------------------------------------------------------------------------------------


FEW = ["reference 1", "six pairs", "three flushes", "weak"]
CASES = [
    *product(FEW, [*PRESETS, *HOUSE, *BANKERS]),
    *product([hand for hand in HANDS if hand not in FEW], ["shisanshui", "eastern", "broken"]),
]


@pytest.mark.parametrize(("hand", "name"), CASES)
def test_all_numbers_are_those_of_a_direct_comparison(hand: str, name: str) -> None:
    text = HANDS[hand]
    solution = solved(text, name, top=3)
    records, _ = opponents_of(text, name)
    assert solution.samples == len(records) > 8
    best = scores_of(state(solution.best.setting), text, name)
    for scored in solution.settings:
        check_setting(scored, best, text, name)
    evs = [scored.ev for scored in solution.settings]
    assert evs == sorted(evs, reverse=True)

    rules = rules_called(name)
    natural = natural_of(parse_hand(text), rules)
    assert (solution.natural and solution.natural.name) == natural
    setting = state(solution.best.setting)
    choices = {"set": best}
    if rules.surrender is not None:
        choices["surrender"] = scores_of({**setting, "surrender": True}, text, name)
    if natural:
        choices["declare"] = scores_of({**setting, "declare": natural}, text, name)
    decision = max(choices, key=lambda choice: fmean(choices[choice]))
    if natural and not rules.optional:
        decision = "declare"
    assert solution.decision == decision
    assert solution.ev == pytest.approx(fmean(choices[decision]), abs=1e-12)
    assert solution.se == pytest.approx(
        naive.clustered_standard_error(choices[decision], records), abs=1e-12
    )


def test_opponents_and_heroes_with_naturals_are_among_them() -> None:
    for name in ("eastern", "shisanshui", "malaya", "la-card-room"):
        met = [opponents_of(text, name)[1] for text in HANDS.values()]
        assert len({other["declare"] for others in met for other in others}) > 3
        for hand in ("six pairs", "three flushes"):
            assert hand.replace(" ", "-") in [
                other["declare"] for other in opponents_of(HANDS[hand], name)[1]
            ]
    assert solved(HANDS["dragon"], "eastern").decision == "declare"
    assert solved(HANDS["trips in front"], "eastern").decision == "set"


def test_declaring_is_a_choice_where_it_is_optional() -> None:
    text = HANDS["strong flushes"]
    free, forced = solved(text, "flat-royalties"), solved(text, "forced, flat")
    assert free.natural == forced.natural
    assert (free.decision, forced.decision) == ("set", "declare")
    assert forced.ev < free.ev


def test_surrender_is_chosen_exactly_where_it_costs_less() -> None:
    """A weak hand surrenders at a low price, and is set at a high one."""
    rules = rules_called("la-card-room")
    decisions = []
    for price in range(1, 6):
        house = replace(rules, surrender=price)
        solution = solve(HANDS["weak"], house, 3, chosen_pool("lowest"))
        folds = 2 * run_one(HANDS["weak"], house).settings.surrender_ev[0]
        assert solution.decision == ("surrender" if folds > solution.best.ev else "set")
        assert solution.ev == pytest.approx(max(folds, solution.best.ev))
        decisions.append(solution.decision)
    assert decisions == sorted(decisions, key=("surrender", "set").index)
    assert set(decisions) == {"surrender", "set"}


def run_one(text: str, rules: RuleSet) -> Answers:
    table = Table(rules, 2, chosen_pool(rules.wheel), 0, None)
    return run(table, np.array([parse_hand(text).mask]), 2)


def test_the_banker_is_paid_by_everybody_and_others_by_him_alone() -> None:
    rules, pool = load_rules("malaya"), chosen_pool("lowest")
    for seat, pairs in (("banker", 3), ("player", 1)):
        two, four = (
            solve(HANDS["six pairs"], rules, n, pool, seat=seat)  # type: ignore[arg-type]
            for n in (2, 4)
        )
        assert (four.seat, four.others) == (seat, pairs)
        assert four.ev == pytest.approx(pairs * two.ev)
        assert four.best.gap_se == pytest.approx(pairs * two.best.gap_se)
    assert solve(HANDS["weak"], rules, 3, pool).seat == "player"
    with pytest.raises(SolveError, match="the rules 2-4 have no banker"):
        solve(HANDS["weak"], "2-4", 3, pool, seat="banker")


@pytest.mark.parametrize("players", [3, 4])
def test_against_several_opponents_evs_add_up(players: int) -> None:
    for hand in ("reference 1", "six pairs"):
        two, more = (solved(HANDS[hand], "giga", players=n) for n in (2, players))
        others = players - 1
        assert more.ev == pytest.approx(others * two.ev)
        for one, other in zip(two.settings, more.settings, strict=True):
            assert other.setting == one.setting
            assert (other.win, other.tie, other.scoop) == (one.win, one.tie, one.scoop)
            for number in ("ev", "se", "gap", "gap_se", "royalties"):
                assert getattr(other, number) == pytest.approx(others * getattr(one, number))


# --- the best of all settings ---------------------------------------------------------------------


@cache
def legal(text: str, wheel: Wheel) -> list[naive.Setting]:
    """One legal setting for each triple of strengths, whether the quads are shown or not."""

    def kind(rows: naive.Setting) -> object:
        whole = [max(map([card // 4 for card in row].count, range(13))) == 4 for row in rows[:2]]
        return *(naive_opponents.row_key(row, wheel) for row in rows), any(whole)

    return list(
        {kind(rows): rows for rows in naive.legal_settings(naive.parse(text), wheel)}.values()
    )


@pytest.mark.parametrize("name", [*PRESETS, "falling", "broken", *BANKERS])
@pytest.mark.parametrize(
    "hand", ["reference 1", "reference 2", "quads", "trips in front", "three flushes"]
)
def test_no_legal_setting_beats_the_best(hand: str, name: str) -> None:
    text, rules = HANDS[hand], rules_called(name)
    plain = naive_rules_of(rules)
    _, states = opponents_of(text, name)
    playing = [other for other in states if sets(other)]
    theirs = [tuple(other[row] for row in naive_rules.ROWS) for other in playing]
    candidates = legal(text, rules.wheel)
    unbroken = {**plain, "royalties": {**plain["royalties"], "broken": False}}
    edge = EDGES[seat_called(name)]
    sums = naive_opponents.payments(candidates, theirs, unbroken, edge).sum(axis=1)
    if name == "broken":
        # of these hands only one can break anything: its quads, unless a row shows all four
        worth = np.array([hand == "quads" and not shows_quads(rows) for rows in candidates])
        theirs = sum(naive_rules.broken_royalty(other, plain) for other in states if sets(other))
        sums += worth * len(playing) * plain["royalties"]["back"]["quads"] - theirs
    fixed = sum(
        naive_rules.pair_payment(state(candidates[0]), other, plain)
        for other in states
        if not sets(other)
    )
    assert round(solved(text, name).best.ev * len(states)) == sums.max() + fixed


def shows_quads(rows: naive.Setting) -> bool:
    return any(set(naive.parse("7c 7d 7h 7s")) <= set(row) for row in rows)


def test_the_quick_payments_are_those_of_pairs() -> None:
    dealer = random.Random(3)
    for name in [*PRESETS, *BANKERS]:
        rules, edge = rules_called(name), EDGES[seat_called(name)]
        plain = naive_rules_of(rules)
        one, other = (
            dealer.sample(legal(HANDS[hand], rules.wheel), 12)
            for hand in ("trips in front", "quads")
        )
        other += one[:6]  # a tie in every row, and in some
        expected = [
            [naive_rules.pair_payment(state(a), state(b), plain, banker=edge) for b in other]
            for a in one
        ]
        assert naive_opponents.payments(one, other, plain, edge).tolist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h",
        "Kc Qc 6c 5c 4c / Kd 6d 5d 4d 3d / Th 9s 7s",
        "Ac Ad 6d 5c 3d / Qs Qc Td 9h 7c / Js Jh Ks",
        "Ks Qs Js Td 9h / Ac Ad 6d 5c 3d / Qc Jh 7c",
        "Ac Ad 7c 5c 3d / Qs Qc Ks 9h 6d / Js Jh Td",
    ],
    ids=["hand 1", "hand 2", "hand 3", "hand 3, worse", "hand 3, better still"],
)
def test_settings_with_a_known_price_are_legal_and_in_the_frontier(text: str) -> None:
    setting = Setting(*(Cards(naive.parse(row)) for row in text.split(" / ")))
    assert not setting.is_foul()
    hand = [card for row in setting for card in row]
    assert setting.strengths() in [other.strengths() for other in frontier(hand)]
