"""Tables that matter as a whole: joint deals, home runs, stakes, risk and objectives."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import Any

import naive_joint
import numpy as np
import pytest
from typer.testing import CliRunner

from evaluator.cards import Cards
from evaluator.kernels import LEGAL_MAX
from solver import solve
from solver.cli import app
from solver.deals import deal
from solver.joint import _deal, run_jointly
from solver.opening import Table, open_table
from solver.pool import DECLARE, SET, SURRENDER, make_pool
from solver.rules import RuleSet, Seat, load_rules
from solver.setter import set_hands
from solver.solution import Solution
from solver.solve import decide, run
from solver.wishes import SolveError, parse_objective, parse_stakes

POOLS = {wheel: make_pool("greedy", wheel, 32_768) for wheel in ("lowest", "second")}
STRONG = "As Ks Qs Js Ts 8h 8d 8c 8s 2d Ah Ad Ac"  # a royal flush, four eights and three aces
GOOD = "As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c"
WEAK = "Kc Qd Th 9s 8c 7d 5h 4s 4c 3d 3h 2s 2c"  # no straight, no flush, three low pairs


# A player has gunned everybody if he guns the banker, a banker needs all the players.
HOUSE = replace(load_rules("shisanshui"), name="house", banker=True)


def table_of(rules: str | RuleSet, players: int, **options: Any) -> Table:
    rules = load_rules(rules) if isinstance(rules, str) else rules
    return open_table(rules, players, POOLS[rules.wheel], **options)


def solved(hand: str, rules: str | RuleSet, players: int, **options: Any) -> Solution:
    rules = load_rules(rules) if isinstance(rules, str) else rules
    return solve(hand, rules, players, POOLS[rules.wheel], **options)


# Joint deals


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("name", ["greedy", "random"])
def test_each_opponent_of_a_joint_deal_is_like_one_met_alone(name: str, players: int) -> None:
    pool = make_pool(name, records=16_384)
    table = open_table("2-4", players, pool)
    hand = Cards(_cards(GOOD)).mask
    alone = np.flatnonzero(pool.hands & hand == 0).astype(np.int32)
    hands, seats = _deal(table, hand, np.tile(alone, 6)[:1000])
    assert (hands & hand == 0).mean() > 0.03, "the suits of the pool's records are kept"
    assert (np.bitwise_count(hands) == 13).all()
    assert (np.bitwise_or.reduce(hands, axis=1) == hands.sum(axis=1)).all(), "a card twice"
    expected = pool.strengths[alone]
    for other in range(1, players - 1):
        rows = seats[:, other, :3]
        error = np.hypot(rows.std(axis=0) / 1000**0.5, expected.std(axis=0) / len(alone) ** 0.5)
        assert (abs(rows.mean(axis=0) - expected.mean(axis=0)) < 4 * error).all()


def test_a_deal_depends_on_nothing_but_seed_hand_and_number() -> None:
    table = table_of("shisanshui", 4)
    hand = Cards(_cards(GOOD)).mask
    first = np.flatnonzero(table.pool.hands & hand == 0).astype(np.int32)[:40]
    whole, _ = _deal(table, hand, first)
    part, _ = _deal(table, hand, first[:1])
    assert (part == whole[:1]).all()
    other, _ = _deal(replace(table, seed=1), hand, first)
    assert (other[:, 1:] != whole[:, 1:]).any()


@pytest.mark.parametrize("seat", ["banker", "player"])
def test_opponents_play_their_seats(seat: Seat) -> None:
    """The first is a record of whom the hand meets; the others, set anew, are players."""
    pool = replace(make_pool("random", "second", 16_384), name="some", bankers=8_192)
    table = open_table(HOUSE, 4, pool, seat=seat)
    hand, first = Cards(_cards(GOOD)).mask, np.arange(40, dtype=np.int32)
    hands, seats = _deal(table, hand, first)
    assert (hands[:, 0] == table.met.hands[:40]).all()
    players = set_hands(replace(table, seat="banker"), hands[:, 1:].ravel())
    assert (seats[:, 1:, 0].ravel() // 2 == players.settings.strengths[:, 0]).all()
    assert (seats[:, 0, 0] // 2 == table.met.strengths[:40, 0]).all()
    assert (seats[..., 0] % 2 == (seat == "player")).all(), "the banker's win ties"


# Home runs


@pytest.mark.parametrize(
    ("rules", "seat"), [("shisanshui", None), (HOUSE, "banker"), (HOUSE, "player")]
)
def test_settled_as_a_naive_simulation_does(rules: str | RuleSet, seat: Seat | None) -> None:
    check_simulation(rules, seat, hands=2, deals=40)


def check_simulation(rules: str | RuleSet, seat: Seat | None, hands: int, deals: int) -> None:
    """Hands dealt at random, and two that often sweep and are swept."""
    rng = random.Random(f"{rules}{seat}")
    some = [*map(str, deal(hands - 2, seed=rng.randrange(1000))), STRONG, WEAK]
    for h, hand in enumerate(some):
        players = 3 + h % 2
        opponents = 1 if seat == "player" else players - 1
        wishes = {"stakes": (3, 1, 2)[:opponents], "seat": seat}
        table = table_of(rules, players, **wishes)
        best = solved(hand, rules, players, **wishes).best
        stakes = {"opponent 1": 3, "opponent 2": 1, "opponent 3": 2}
        won = naive_joint.totals(table, best.setting, deals, rng, stakes)
        error = np.hypot(won.std() / deals**0.5, best.se)
        assert abs(won.mean() - best.ev) <= 4 * error, (rules, seat, hand, players)


@pytest.mark.parametrize("name", ["shisanshui", "capsa-susun"])
def test_a_sure_sweep_is_paid_its_home_run(name: str) -> None:
    """Nobody has a better row than the strong hand, but for rare ones: the whole is multiplied."""
    alone, whole = solved(STRONG, name, 2), solved(STRONG, name, 4)
    assert alone.best.scoop > 0.9
    assert whole.best.ev > 0.9 * 2 * 3 * alone.best.ev
    weak = solved(WEAK, name, 3), solved(WEAK, name, 2)
    assert weak[0].best.ev < 2 * weak[1].best.ev, "who is swept pays it"


def test_no_home_run_below_the_players_it_needs() -> None:
    table = table_of("shisanshui", 2)
    assert not table.joint
    assert replace(table, players=3).joint


def test_a_player_is_dealt_others_only_for_home_runs() -> None:
    for players, seat, dealt in ((4, "banker", 3), (4, "player", 3), (2, "player", 1)):
        assert table_of(HOUSE, players, seat=seat).dealt == dealt
    assert table_of("malaya", 4, risk=True).dealt == 1
    assert table_of("malaya", 4, risk=True, seat="banker").dealt == 3


def test_pair_payments_alone_come_from_the_pair_estimate() -> None:
    """Where no clause looks at the table, joint deals change no EV and no error."""
    hands = np.array([hand.mask for hand in deal(5, seed=8)], np.int64)
    for players in (3, 4):
        table = table_of("2-4", players, deals=30)
        joint = run_jointly(replace(table, risk=True), hands, 3).settings
        alone = run(table, hands, 3).settings
        for name in ("rows", "listed", "samples", "win", "tie", "scoop"):
            assert (getattr(joint, name) == getattr(alone, name)).all()
        for name in ("ev", "se", "gap", "gap_se"):
            assert getattr(joint, name) == pytest.approx(getattr(alone, name), abs=1e-9, rel=1e-3)


def test_the_same_whatever_the_threads() -> None:
    table = table_of("shisanshui", 3, deals=50)
    hands = np.array([hand.mask for hand in deal(4, seed=9)], np.int64)
    whole = run(table, hands, 2).settings
    with ThreadPoolExecutor(2) as threads:
        singly = list(threads.map(lambda h: run(table, hands[h : h + 1], 2).settings, range(4)))
    for name in ("ev", "se", "gap_se"):
        parts = np.concatenate([getattr(found, name) for found in singly])
        assert (parts == getattr(whole, name)).all()


# Stakes


def test_stakes_weigh_the_opponents() -> None:
    plain, doubled = solved(GOOD, "2-4", 3), solved(GOOD, "2-4", 3, stakes="2,2.0")
    assert doubled.ev == pytest.approx(2 * plain.ev)
    assert doubled.se == pytest.approx(2 * plain.se)
    uneven = solved(GOOD, "2-4", 4, stakes=[10, "100", 10.5])
    assert uneven.ev == pytest.approx(120.5 * plain.ev / 2)
    assert "in money" in str(uneven)


def test_home_runs_at_stakes() -> None:
    even = solved(STRONG, "shisanshui", 3, deals=200)
    tripled = solved(STRONG, "shisanshui", 3, deals=200, stakes=(3, 3))
    assert tripled.ev == pytest.approx(3 * even.ev)
    assert tripled.se == pytest.approx(3 * even.se)


@pytest.mark.parametrize(
    ("stakes", "problem"),
    [
        ("1", "stakes: 1 given, 2 needed, one for each opponent you settle with"),
        ("1,x", "stakes: 'x'; use numbers such as 10 or 0.25"),
        ("1,-2", "'-2'"),
        ("nan,1", "'nan'"),
        ("0,0", "every stake is 0"),
    ],
)
def test_wrong_stakes(stakes: str, problem: str) -> None:
    with pytest.raises(SolveError, match=problem):
        parse_stakes(stakes, 2)


def test_stakes_are_exact() -> None:
    assert parse_stakes([0.1, "0.3"], 2) == (Fraction(1, 10), Fraction(3, 10))
    rules = replace(load_rules("plain"), rows=(1000, 1000, 1000), gun=10)  # the most that may be
    most = ("99999999.999999",) * 3
    risk = solve(STRONG, rules, 4, POOLS["lowest"], stakes=most, risk=True, deals=50).risk
    assert risk is not None
    assert risk.high == pytest.approx(3 * 30_000 * 1e8)


# Risk and objectives


@pytest.mark.parametrize(("name", "players"), [("2-4", 2), ("shisanshui", 4), ("2-4-royalties", 3)])
def test_risk_describes_the_totals(name: str, players: int) -> None:
    found = solved(GOOD, name, players, risk=True)
    assert found.deals == (found.samples if players == 2 else 1000)
    for scored in found.settings:
        risk = scored.risk
        assert risk is not None
        assert risk.win + risk.lose + risk.even == pytest.approx(1)
        assert risk.low <= scored.ev <= risk.high
        assert scored.se == pytest.approx(risk.sd / found.samples**0.5, rel=0.5) or players > 2
    assert found.risk == found.best.risk


@pytest.mark.parametrize(("banker", "players"), [(False, 2), (True, 4)])
def test_against_one_opponent_the_risk_is_that_of_the_pair(banker: bool, players: int) -> None:
    found = solved(WEAK, replace(load_rules("plain"), banker=banker), players, risk=True)
    assert found.deals == found.samples
    assert found.risk is not None
    assert -3 <= found.risk.low <= found.ev <= found.risk.high <= 3
    assert found.risk.lose > 0.5 > found.risk.win


@pytest.mark.parametrize(("rules", "seat"), [("1-6", None), (HOUSE, "banker"), (HOUSE, "player")])
def test_objectives_choose_by_what_they_say(rules: str | RuleSet, seat: Seat | None) -> None:
    wishes = {"seat": seat, "risk": True, "top": 512}
    by = {name: solved(GOOD, rules, 3, objective=name, **wishes) for name in OBJECTIVES}
    wins = [scored.risk.win for scored in by["win-chance"].settings if scored.risk]
    assert wins == sorted(wins, reverse=True)
    careful = [s.ev - 0.5 * s.risk.sd**2 for s in by["risk:0.5"].settings if s.risk]
    assert careful == pytest.approx(sorted(careful, reverse=True))
    assert by["ev"].best.gap == by["risk:0"].best.gap == 0
    assert by["risk:0"].best.setting == by["ev"].best.setting
    for found in by.values():
        assert min(scored.gap for scored in found.settings) == 0, "costs are in EV"
        assert found.best.ev == pytest.approx(by["ev"].best.ev - found.best.gap)


@pytest.mark.parametrize("objective", ["ev", "risk:0.5"])
def test_the_best_is_found_however_far_behind_it_is_against_pairs(objective: str) -> None:
    """It is the same of all settings that can be the best, of which there are more than a few."""
    hands = np.array([Cards(hand).mask for hand in deal(6, seed=5)])
    table = table_of(HOUSE, 3, seat="banker", objective=objective, deals=200)
    few, all_of_them = (run_jointly(table, hands, top).settings for top in (2, LEGAL_MAX))
    assert (few.ev == all_of_them.ev[:, :2]).all()
    assert (all_of_them.listed > 32).any()


OBJECTIVES = ("ev", "win-chance", "risk:0", "risk:0.5")


def test_whoever_wants_to_win_does_not_surrender() -> None:
    rules = replace(load_rules("2-4-royalties"), surrender=0)
    pool = POOLS["lowest"]
    assert solve(WEAK, rules, 3, pool).decision == "surrender"
    assert solve(WEAK, rules, 3, pool, objective="win-chance").decision == "set"


def test_a_natural_may_be_declared_for_its_chance_to_win() -> None:
    dragon = "As Kd Qc Jc Tc 9s 8d 7c 6c 5c 4s 3d 2c"
    found = solved(dragon, "shisanshui", 3, objective="win-chance", risk=True)
    assert found.decision == "declare"
    assert found.risk is not None
    assert found.risk.win > 0.99
    assert found.risk.high == 104


def test_of_equal_chances_to_win_the_larger_ev_decides() -> None:
    flushes = "As Ks Qs Js Ts Th 9h 8h 7h 6h 4c 3c 2c"  # sure to win, declared or not
    found = solved(flushes, "shisanshui", 4, objective="win-chance", risk=True)
    assert found.settings[0].risk == replace(found.settings[0].risk, win=1)
    assert found.decision == "declare"
    assert found.ev > found.best.ev
    evs, chances = ([np.array([ev]) for ev in evs] for evs in ((1, 2, 3), (0.5, 0.5, 0.4)))
    rules = load_rules("2-4-royalties")
    assert decide(rules, np.array([True]), evs, chances) == DECLARE
    assert decide(rules, np.array([False]), evs, chances) == SET
    assert decide(rules, np.array([True]), evs) == SURRENDER
    assert decide(replace(rules, surrender=None), np.array([True]), evs) == DECLARE


@pytest.mark.parametrize("text", ["", "EV", "risk", "risk:", "risk:-1", "risk:nan", "risk:1e999"])
def test_wrong_objectives(text: str) -> None:
    with pytest.raises(SolveError, match="use ev, win-chance or risk:"):
        parse_objective(text)


@pytest.mark.parametrize("deals", [1, -1, 200_001, 10**12])
def test_too_few_or_too_many_deals(deals: int) -> None:
    with pytest.raises(SolveError, match=f"deals {deals:,}; use 2 to 200,000"):
        table_of("shisanshui", 3, deals=deals)


# Command line


def capsa(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["solve", GOOD, "--opponents", "greedy", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_json_tells_what_was_asked() -> None:
    wishes = ("--stakes", "2,0.5", "--objective", "win-chance", "--risk", "--deals", "50")
    found = json.loads(capsa("--players", "3", "--format", "json", *wishes))
    assert (found["deals"], found["stakes"], found["objective"]) == (50, [2, 0.5], "win-chance")
    assert set(found["risk"]) == {"sd", "win", "lose", "even", "low", "high"}
    assert found["settings"][0]["risk"] == found["risk"]
    plain = json.loads(capsa("--format", "json"))
    assert (plain["deals"], plain["stakes"], plain["objective"]) == (0, [], "ev")
    assert plain["risk"] is plain["settings"][0]["risk"] is None


def test_table_tells_risk_and_cost() -> None:
    shown = capsa("--players", "3", "--objective", "risk:0.5", "--risk", "--top", "2")
    assert "objective risk:0.5" in shown
    assert "The best for risk:0.5" in shown
    assert "breaks even" in shown
    assert "in money" not in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("--stakes", "1,1"), 1), (("--objective", "x"), 1), (("--explain", "--risk"), 2)],
)
def test_wrong_wishes_are_told(arguments: tuple[str, ...], code: int) -> None:
    done = CliRunner().invoke(app, ["solve", GOOD, "--opponents", "greedy", *arguments])
    assert done.exit_code == code


def _cards(text: str) -> list[int]:
    return [4 * "23456789TJQKA".index(word[0]) + "cdhs".index(word[1]) for word in text.split()]
