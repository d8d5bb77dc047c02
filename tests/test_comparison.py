"""One's own setting beside the best: its cost and rank, and settings that are none."""

import random
from collections import defaultdict
from dataclasses import replace
from itertools import permutations, product

import naive
import naive_opponents
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_opponents import state
from naive_support import naive_rules as naive_rules_of
from test_solve import (
    EDGES,
    HANDS,
    HOUSE,
    PRESETS,
    check_setting,
    chosen_pool,
    opponents_of,
    rules_called,
    scores_of,
    seat_called,
    sets,
)

from evaluator.cards import Cards, parse_hand
from evaluator.settings import Setting, frontier, legal_settings
from solver import SettingError, compare, explain, solve
from solver.comparison import Comparison, read_setting
from solver.explanation import Options, take_apart
from solver.opening import open_table
from solver.pool import make_pool
from solver.rules import ROWS
from solver.wishes import SolveError

HAND = parse_hand(HANDS["reference 1"])
POOL = make_pool("greedy", records=2000)
MINE = "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h"


def asked(name: str, players: int) -> Options:
    rules = rules_called(name)
    pool = chosen_pool(rules.wheel)
    seat = seat_called(name)
    return {"rules": rules, "players": players, "seat": seat, "opponents": pool, "deals": 20}


def compared(hand: str, setting: Setting, name: str, players: int = 2) -> Comparison:
    return compare(HANDS[hand], setting, **asked(name, players))


# --- cost and rank --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*PRESETS, *HOUSE])
def test_the_best_setting_costs_nothing(name: str) -> None:
    rules = rules_called(name)
    best = solve(HANDS["quads"], rules, opponents=chosen_pool(rules.wheel)).best
    comparison = compared("quads", best.setting, name)
    assert (comparison.cost, comparison.cost_se, comparison.rank) == (0, 0, 1)
    assert comparison.scored == comparison.solution.best == best
    assert comparison.parts == comparison.best_parts
    assert comparison.words == ()


@pytest.mark.parametrize(
    ("hand", "name", "players"),
    [
        ("reference 1", "2-4", 2),
        ("weak", "shisanshui", 4),
        ("quads", "pusoy", 3),
        ("reference 1", "banker with guns", 3),
    ],
)
def test_settings_of_the_frontier_cost_what_solve_says(hand: str, name: str, players: int) -> None:
    settings = solve(HANDS[hand], top=10_000, **asked(name, players)).settings
    assert len(settings) == len(frontier(HANDS[hand], rules_called(name).wheel)) > 30
    ranks = []
    for scored in [*settings[:5], *settings[5::100], settings[-1]]:
        comparison = compared(hand, scored.setting, name, players)
        assert comparison.scored == scored
        assert sum(comparison.parts.to_dict().values()) == pytest.approx(scored.ev, abs=1e-9)
        assert (comparison.cost, comparison.cost_se) == (scored.gap, scored.gap_se)
        ranks.append(comparison.rank)
    assert ranks == sorted(ranks)
    assert ranks[0] == 1


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        *product(("reference 2", "quads"), ("2-4", "shisanshui", "pusoy", "broken")),
        ("quads", "banker with guns, as the banker"),
    ],
)
def test_any_legal_setting_is_scored_and_ranked(hand: str, name: str) -> None:
    rules = rules_called(name)
    text, plain = HANDS[hand], naive_rules_of(rules)
    settings = naive.legal_settings(naive.parse(text), rules.wheel)
    playing = [other for other in opponents_of(text, name)[1] if sets(other)]
    theirs = [tuple(other[row] for row in ROWS) for other in playing]
    unbroken = {**plain, "royalties": {**plain["royalties"], "broken": False}}
    edge = EDGES[seat_called(name)]
    sums = naive_opponents.payments(settings, theirs, unbroken, edge).sum(axis=1)
    if name == "broken" and hand == "quads":  # of these hands the only one that can break any
        sevens = set(naive.parse("7c 7d 7h 7s"))
        unshown = [not any(sevens <= set(row) for row in rows) for rows in settings]
        sums[unshown] += len(playing) * plain["royalties"]["back"]["quads"]
    for rows in random.Random(5).sample(settings, 4):
        comparison = compared(hand, Setting(*map(Cards, rows)), name)
        best = scores_of(state(comparison.solution.best.setting), text, name)
        check_setting(comparison.scored, best, text, name)
        assert comparison.legal_settings == len(settings)
        assert comparison.rank == 1 + (sums > sums[settings.index(rows)]).sum()


@pytest.mark.parametrize("name", ["shisanshui", "banker with guns"])
def test_home_runs_count_for_the_rank(name: str) -> None:
    wishes = asked(name, 4)
    wheel = rules_called(name).wheel
    alike = defaultdict(list)
    for setting in legal_settings(HANDS["quads"], wheel):
        alike[setting.strengths(wheel)].append(setting)
    first, many = zip(*((those[0], len(those)) for those in alike.values()), strict=True)
    scored, _ = take_apart(open_table(**wishes), parse_hand(HANDS["quads"]), first)
    evs, counts = np.array([one.ev for one in scored]), np.array(many)
    places = evs.argsort()
    for place in (*places[-20::5], places[-500], places[0]):
        comparison = compare(HANDS["quads"], first[place], **wishes)
        assert comparison.rank == 1 + counts[evs > evs[place] + 1e-9].sum()
        assert comparison.scored.ev == evs[place]


def test_settings_of_equal_strength_share_their_rank() -> None:
    """The deuces may change places: neither row is weaker for it."""
    hand = "As Ac 7s 7c 2h Qs Qh 9c 3c 2d Js Jd 9h"
    ranks = {
        compare(hand, f"As Ac 7s 7c {one} / Qs Qh 9c 3c {other} / Js Jd 9h", opponents=POOL).rank
        for one, other in (("2h", "2d"), ("2d", "2h"))
    }
    assert len(ranks) == 1


def test_parts_are_those_of_explain() -> None:
    explanation = explain(HAND, 3, opponents=POOL, rules="1-6", players=3)
    third = explanation.solution.settings[2]
    comparison = compare(HAND, third.setting, opponents=POOL, rules="1-6", players=3)
    assert (comparison.best_parts, comparison.parts) == explanation.parts[::2]


def test_form_of_json_and_text() -> None:
    comparison = compare(HAND, MINE, opponents=POOL)
    answer = comparison.to_dict()
    scored = comparison.scored.to_dict()
    assert {key: answer[key] for key in scored} == scored
    assert (answer["cost"], answer["cost_se"]) == (answer["gap"], answer["gap_se"])
    assert (answer["rank"], answer["legal_settings"]) == (comparison.rank, 21109)
    assert answer["hand"] == str(HAND).split()
    assert answer["best"]["ev"] == pytest.approx(answer["ev"] + answer["cost"])
    assert sum(answer["parts"].values()) == pytest.approx(answer["ev"])
    lines = str(comparison).splitlines()
    assert lines[0] == str(HAND)
    assert lines[2].startswith(f"{MINE}: EV ")
    assert lines[3:5] == [f"rank {comparison.rank} of 21,109 legal settings", comparison.verdict]
    html = comparison._repr_html_()
    assert html.count("<table>") == html.count("</table>") == 2
    assert f"<strong>{comparison.verdict}</strong>" in html
    assert html.index("yours") < html.index("best</td>")
    assert all(f"<p>{sentence}</p>" in html for sentence in comparison.words)


def test_verdicts() -> None:
    comparison = compare(HAND, MINE, opponents=POOL)

    def verdict(gap: float, gap_se: float) -> str:
        scored = replace(comparison.scored, gap=gap, gap_se=gap_se)
        return replace(comparison, scored=scored).verdict

    assert verdict(0.1, 0.05) == "It costs 0.100 ± 0.050 units against the best setting."
    assert verdict(0.1, 0.06).startswith("Too close to call: it costs 0.100 ± 0.060 units; more")
    assert verdict(0.005, 0.1) == "As good as the best setting: it costs 0.005 ± 0.100 units."
    assert verdict(-0.1, 0.05) == (
        "Home runs make it worth 0.100 ± 0.050 units more than the best setting found."
    )
    assert replace(comparison, scored=comparison.solution.best).verdict == (
        "This is the best setting."
    )


def test_too_few_opponents_are_told_as_solve_tells_them() -> None:
    with pytest.raises(SolveError, match="5000 samples asked for"):
        compare(HAND, MINE, opponents=POOL, samples=5000)


# --- reading --------------------------------------------------------------------------------------

SETTINGS = legal_settings(HAND)


@given(
    st.sampled_from(SETTINGS),
    st.permutations(range(3)),
    st.sampled_from([(" / ", " "), ("|", ","), ("; ", "  "), ("\n", ""), (", ", " "), (" ", "")]),
    st.randoms(use_true_random=False),
)
def test_rows_in_any_order_and_notation(
    setting: Setting, order: list[int], marks: tuple[str, str], rng: random.Random
) -> None:
    between, inside = marks
    rows = [list(map(str, str(row).split())) for row in setting]
    for row in rows:
        rng.shuffle(row)
    assert read_setting(between.join(inside.join(rows[i]) for i in order), HAND) == setting
    assert (
        read_setting([rows_of[i] for i in order for rows_of in [tuple(setting)]], HAND) == setting
    )


def test_a_mark_too_many_does_no_harm() -> None:
    assert str(read_setting(f"/ {MINE.replace('/', '//')} /", HAND)) == MINE


def test_of_two_equal_fives_the_back_has_the_highest_card() -> None:
    hand = parse_hand("As Kd Jd 9d 7c Ad Ks Js 9s 7h 4c 3c 2d")
    rows = ("As Kd Jd 9d 7c", "Ad Ks Js 9s 7h", "4c 3c 2d")
    read = {read_setting(order, hand) for order in permutations(rows)}
    assert read == {Setting(*map(Cards, map(naive.parse, rows)))}
    assert read <= set(legal_settings(hand))


def test_the_wheel_decides_which_five_is_the_back() -> None:
    hand = parse_hand("As 2d 3d 4d 5c 6d 7d 8c 9c Ts Kc Jc 4s")
    rows = "As 2d 3d 4d 5c / 6d 7d 8c 9c Ts / Kc Jc 4s"
    assert read_setting(rows, hand).back == Cards(naive.parse("Ts 9c 8c 7d 6d"))
    assert read_setting(rows, hand, "second").back == Cards(naive.parse("As 5c 4d 3d 2d"))


NOT = "not a setting of this hand: "
FIVES = "two rows of five and one of three"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd",
            f"{NOT}9h missing; 5 + 5 + 2 cards in As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd, "
            f"but a setting has {FIVES}",
        ),
        (
            "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd Td",
            f"{NOT}Td in row 3, not dealt; 9h missing",
        ),
        (
            "As Ks 6s 5s 3s / Qs Qh 8c 3c 3s / Js Jd 9h",
            f"{NOT}3s in rows 1 and 2; 2h missing",
        ),
        (
            "As Ks 6s 5s 3s / Qs Qh 8c 3c 2x / Js Jd Jd",
            f"{NOT}row 2: unknown '2x' at 14; row 3: Jd twice",
        ),
        (
            str(HAND),
            f"{NOT}13 cards in {HAND}, but a setting has {FIVES}",
        ),
        (
            "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h Js Jd 9h",
            f"{NOT}5 + 8 cards in As Ks 6s 5s 3s / Qs Qh Js Jd 9h 8c 3c 2h, "
            f"but a setting has {FIVES}",
        ),
        ("", f"{NOT}row 1: no cards given"),
        (
            "As Ks 6s 5s 9h / Qs 3s 8c 3c 2h / Js Jd Qh",
            "a foul: the front's pair of jacks, queen kicker (Qh Js Jd) is stronger than "
            "the middle's ace high (As Ks 9h 6s 5s) and "
            "the back's pair of threes, queen kicker (Qs 8c 3s 3c 2h)",
        ),
        (
            "Qs Qh 9h / As Ks 6s 5s 3s / Js Jd 8c 3c 2h",
            "a foul: the front's pair of queens, nine kicker (Qs Qh 9h) is stronger than "
            "the middle's pair of jacks, eight kicker (Js Jd 8c 3c 2h)",
        ),
    ],
    ids=[
        "too few",
        "foreign card",
        "a card twice",
        "unreadable",
        "no rows",
        "two rows",
        "nothing",
        "foul against both",
        "foul against the middle",
    ],
)
def test_what_is_no_setting(rows: str, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        read_setting(rows, HAND)
    assert str(caught.value) == message
