"""What EVs are made of, against the plain twin, and the sentences about them."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import naive_joint
import pytest
from naive_opponents import state
from naive_parts import pair_parts
from naive_support import naive_rules as naive_rules_of
from naive_support import random_rules
from test_display import scored
from test_solve import (
    BANKERS,
    EDGES,
    HANDS,
    HOUSE,
    PRESETS,
    chosen_pool,
    opponents_of,
    rules_called,
    seat_called,
)

from evaluator.cards import parse_hand
from solver import deal, explain, solve
from solver.explaining import PARTS
from solver.explanation import (
    PART_LABELS,
    Explanation,
    Options,
    Parts,
    difference_words,
    part_lines,
    take_apart,
)
from solver.opening import Table, open_table
from solver.pool import OpponentPool, make_pool
from solver.rules import RuleSet
from solver.solution import RowChances
from solver.solve import solve_at

HAND = HANDS["reference 1"]
POOL = make_pool("greedy", records=2000)
SWEEPING = "As Ks Qs Js Ts 8h 8d 8c 8s 2d Ah Ad Ac"
SWEPT = "Kc Qd Th 9s 8c 7d 5h 4s 4c 3d 3h 2s 2c"
SEATS = ("", ", as the banker")


def check_sums(rules: RuleSet, pool: OpponentPool, hands: int, seed: int) -> set[str]:
    """Add up the parts of the best settings of hands; return which parts paid anything."""
    paying = set()
    asked: Options = {"rules": rules, "players": rules.players[1], "opponents": pool, "deals": 10}
    for hand in deal(hands, seed):
        explanation = explain(hand, 2, **asked)
        plain = solve(hand, top=2, **asked)
        assert explanation.solution == replace(plain, seconds=explanation.solution.seconds)
        for setting, parts in zip(explanation.solution.settings, explanation.parts, strict=True):
            assert abs(sum(parts.to_dict().values()) - setting.ev) < 1e-9
            paying |= {name for name, units in parts.to_dict().items() if units}
    return paying


@pytest.mark.parametrize("name", PRESETS)
def test_parts_add_up_under_every_preset(name: str) -> None:
    rules = rules_called(name)
    paying = check_sums(rules, make_pool("greedy", rules.wheel, records=2000), 63, seed=5)
    expected = {"back", "middle", "front"}
    expected |= {"majority"} if rules.majority else set()
    expected |= {"scoop"} if rules.scoop_units else set()
    expected |= {"gun"} if rules.gun > 1 else set()
    expected |= {"royalties_won", "royalties_paid"} if rules.royalties.back else set()
    expected |= {"naturals"} if rules.naturals else set()
    expected |= {"home_runs"} if rules.home_run > 1 else set()
    assert paying == expected


def test_parts_add_up_under_any_rules() -> None:
    generator = random.Random(4)
    pools = {wheel: make_pool("random", wheel, records=500) for wheel in ("lowest", "second")}
    paying = Counter[str]()
    for seed in range(25):
        rules = random_rules(generator)
        surrenders = pools[rules.wheel]
        decisions = surrenders.decisions.copy()
        decisions[::5] = 2
        pool = surrenders.playing(surrenders.strengths, surrenders.broken, decisions)
        paying.update(check_sums(rules, pool, 2, seed))
    assert set(paying) == {*PARTS, "home_runs"}


@pytest.mark.parametrize(("hand", "sign"), [(SWEEPING, 1), (SWEPT, -1)])
@pytest.mark.parametrize("name", ["shisanshui", *(f"banker with guns{seat}" for seat in SEATS)])
def test_home_runs_are_those_of_a_naive_simulation(name: str, hand: str, sign: int) -> None:
    """What the same deals pay with home runs and without."""
    rules, seat = rules_called(name), seat_called(name)
    table = open_table(rules, 3, make_pool("greedy", rules.wheel, 16_384), seat=seat)
    found = explain(hand, 1, rules=rules, players=3, opponents=table.pool, seat=seat)
    without = replace(table, rules=replace(rules, home_run=1))
    won, alone = (
        naive_joint.totals(played, found.solution.best.setting, 40, random.Random(6), {})
        for played in (table, without)
    )
    added = won - alone
    part = found.parts[0].home_runs
    assert part is not None
    assert part * sign > 0
    assert abs(added.mean() - part) < 4 * added.std() * (1 / 40 + 1 / table.deals) ** 0.5


def test_home_runs_are_a_part_only_where_they_pay_more() -> None:
    pool = make_pool("greedy", "second", records=2000)
    two, three = (
        explain(HAND, 1, rules="shisanshui", players=players, opponents=pool, deals=200)
        for players in (2, 3)
    )
    assert list(two.to_dict()["settings"][0]["parts"]) == list(PARTS)
    assert list(three.to_dict()["settings"][0]["parts"]) == [*PARTS, "home_runs"]
    assert [label for label, _ in part_lines(three.parts)][-2:] == ["home runs", "EV"]


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        *product(("reference 1", "quads"), [*PRESETS, *HOUSE, *BANKERS]),
        *product(("trips in front", "weak"), ("shisanshui", "pusoy", "broken", "limit")),
    ],
)
def test_parts_are_those_of_a_direct_comparison(hand: str, name: str) -> None:
    rules, seat = rules_called(name), seat_called(name)
    plain = naive_rules_of(rules)
    asked: Options = {"rules": rules, "players": rules.players[1], "seat": seat, "deals": 2}
    explanation = explain(HANDS[hand], 3, opponents=chosen_pool(rules.wheel), **asked)
    others = opponents_of(HANDS[hand], name)[1]
    for setting, parts in zip(explanation.solution.settings, explanation.parts, strict=True):
        expected = Counter[str]()
        for other in others:
            for part, units in pair_parts(
                state(setting.setting), other, plain, EDGES[seat]
            ).items():
                expected[part] += units
        for part in PARTS:
            share = explanation.solution.others * expected[part] / len(others)
            assert getattr(parts, part) == pytest.approx(share, abs=1e-12), part


def test_settings_taken_apart_are_scored_as_solve_scores_them() -> None:
    table = Table(rules_called("shisanshui"), 3, chosen_pool("second"), 0, None, deals=50)
    solution = solve_at(table, parse_hand(HAND), 5)
    settings = [scored.setting for scored in solution.settings]
    assert take_apart(table, solution.hand, settings)[0] == list(solution.settings)


def test_the_second_best_is_told_of_when_only_one_setting_is_listed() -> None:
    one, five = (explain(HAND, top, opponents=POOL) for top in (1, 5))
    assert len(one.parts) == 1 < len(five.parts)
    assert (one.second, one.words) == (five.second, five.words)
    assert one.second == five.parts[1]


def test_a_hand_without_a_second_best_needs_no_words() -> None:
    """The five highest flushes of thirteen spades beat any other setting in every row."""
    explanation = explain("As Ks Qs Js Ts 9s 8s 7s 6s 5s Ah Ad Ac", opponents=POOL, rules="1-6")
    assert explanation.solution.second is None
    assert (explanation.second, explanation.words) == (None, ())


def test_form_of_json_and_text() -> None:
    explanation: Explanation = explain(HAND, 2, opponents=POOL)
    answer = explanation.to_dict()
    assert [list(setting["parts"]) for setting in answer["settings"]] == [list(PARTS)] * 2
    assert answer["settings"][0]["parts"]["back"] == explanation.parts[0].back
    assert answer["words"] == list(explanation.words)
    text = str(explanation)
    assert text.startswith(str(explanation.solution))
    assert text.endswith(explanation.words[-1])
    assert f"EV {explanation.solution.best.ev:+.3f}\nKeeping " in text
    html = explanation._repr_html_()
    assert html.startswith(explanation.solution._repr_html_())
    assert html.count("<table>") == html.count("</table>") == 2
    assert "<th>second best</th><th>difference</th>" in html
    assert all(f"<p>{sentence}</p>" in html for sentence in explanation.words)


def test_parts_are_named_alike_everywhere() -> None:
    assert tuple(Parts.__dataclass_fields__) == (*PARTS, "home_runs")
    assert set(PART_LABELS) == set(Parts.__dataclass_fields__)


# --- words ----------------------------------------------------------------------------------------

BEST = "As Ks 6s 5s 3s / Qs Qh 8c 3c 2h / Js Jd 9h"


def words(other: str, best: str = BEST, **win: float) -> list[str]:
    """Sentences about a setting that wins so much of rows of which the best wins 50 %."""
    first, second = (
        replace(scored(text, 0, 0, 0), win=RowChances(0.5, 0.5, 0.5)) for text in (best, other)
    )
    return list(difference_words(first, replace(second, win=replace(first.win, **win))))


@pytest.mark.parametrize(
    ("other", "win", "expected"),
    [
        (
            "As Ks 6s 5s 3s / Js Jd 9h 3c 2h / Qs Qh 8c",
            {"front": 0.812, "middle": 0.4},
            [
                "Keeping the queens in the middle wins that row 50.0% of the time.",
                "Moving them to the front wins 31.2% more there and 10.0% less in the middle.",
            ],
        ),
        (
            "As Ks 6s 5s 3s / Qs Qh 9h 3c 2h / Js Jd 8c",
            {"front": 0.4},
            [
                "Keeping 9h in front wins that row 50.0% of the time.",
                "Moving it to the middle wins as often there and 10.0% less in front.",
            ],
        ),
        (
            "Qs Qh Js Jd 9h / As Ks 8c 3c 2h / 6s 5s 3s",
            {"front": 0.1, "middle": 0.2, "back": 0.3},
            [
                "Keeping the queens in the middle wins that row 50.0% of the time.",
                "Moving them to the back wins 20.0% less there, 30.0% less in the middle "
                "and 40.0% less in front.",
            ],
        ),
        (BEST, {}, []),
    ],
    ids=["queens and jacks change places", "a kicker", "three rows change", "the best itself"],
)
def test_words(other: str, win: dict[str, float], expected: list[str]) -> None:
    assert words(other, **win) == expected


def test_words_name_several_groups() -> None:
    best = "As Ac 7s 7c 2h / Qs Qh 9c 3c 2d / Js Jd 9h"
    other = "Qs Qh Js Jd 2h / As Ac 7s 7c 2d / 9c 3c 9h"
    assert words(other, best)[0].startswith("Keeping the aces and sevens in the back wins")


def test_words_of_a_setting_with_other_suits() -> None:
    best = "As Ac 7s 7c 2h / Qs Qh 9c 3c 2d / Js Jd 9h"
    other = "As Ac 7s 7c 2d / Qs Qh 9c 3c 2h / Js Jd 9h"
    assert words(other, best) == ["Every row is as strong as in the best setting."]


def test_words_tell_what_solve_found() -> None:
    explanation = explain(HAND, opponents=POOL)
    best, second = explanation.solution.settings[:2]
    assert explanation.words == tuple(difference_words(best, second))
    assert f"{100 * best.win.front:.1f}% of the time" in explanation.words[0]
