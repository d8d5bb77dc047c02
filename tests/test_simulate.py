"""Whole tables in duplicate: who wins how much, against plain Python."""

import json
import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import naive_rules
import numpy as np
import pytest
from naive_opponents import state
from naive_rules import strongest_natural
from naive_support import naive_rules as as_naive
from test_cli import capsa
from test_duplicate import COLOURS, NOBODY, SUITS, mask

from evaluator import frontier
from evaluator.cards import Cards, parse_cards
from evaluator.kernels import find_legal, rank_subsets, split_masks, workspace
from evaluator.ranking import tables
from solver import deal, load_rules
from solver.choosing import choose_pool
from solver.duplicate import Recorded, deal_tables
from solver.opening import Table, open_table
from solver.pool import DECLARE, MADE, SURRENDER, OpponentPool, PoolError, make_pool
from solver.rules import Seat, preset_names
from solver.setter import set_hands
from solver.simulation import Simulation, _errors, simulate
from solver.wishes import SolveError

SEATED = replace(make_pool("random", records=4000), name="seated", bankers=2000)
MET: dict[tuple[bool, bool], Seat | None] = {  # whether there is a banker, and oneself is he
    **{(True, False): "banker", (True, True): "player"},
    **{(False, False): None, (False, True): None},
}


@pytest.fixture(scope="module")
def recorded_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hands set by a player who thinks of the front first."""
    rows = ["back,middle,front"]
    for hand in deal(40, seed=77):
        setting = frontier(hand)[0]
        rows.append(f"{setting.back},{setting.middle},{setting.front}")
    path = tmp_path_factory.mktemp("recorded") / "fronts.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def answer_of(table: Table, hand: int, seed: int) -> dict[str, Any]:
    """What a strategy does with a hand, as a state of the twins."""
    play = set_hands(table, np.array([hand]), seed)
    ranks, work = tables(table.rules.wheel), workspace()
    rank_subsets(hand, ranks, work)
    legal = find_legal(ranks, work)
    rows = np.stack([work.backs, work.middles, work.fronts], axis=1)[:legal]
    place = np.flatnonzero((rows == play.settings.strengths[0]).all(axis=1))[0]
    setting = map(cards_in, split_masks(int(work.splits[place]), ranks, work))
    natural = strongest_natural(as_naive(table.rules), cards_in(hand))
    declares = natural and play.decisions[0] == DECLARE
    return state(setting, natural["name"] if declares else None, play.decisions[0] == SURRENDER)


def recorded_state(pool: OpponentPool, path: Path, hand: int, record: int) -> dict[str, Any]:
    """What was recorded, with suits named as in the hand that is held now."""
    line = path.read_text().splitlines()[1 + record].split(",")
    rows = [parse_cards(row) for row in line]
    for suits in SUITS.tolist():
        shown = [[card - card % 4 + suits[card % 4] for card in row] for row in rows]
        if sum(map(mask, shown)) == hand:
            return state(shown)
    raise AssertionError("no naming of the suits gives the record")


def cards_in(hand: int) -> tuple[int, ...]:
    return tuple(Cards.from_mask(int(hand)))


@pytest.mark.parametrize(
    ("preset", "seats"),
    [
        ("shisanshui", ("FILE", "greedy", "random", "greedy")),
        ("1-6-royalties", ("FILE", "FILE", "greedy")),
        ("shisanshui-108", ("random", "greedy", "random")),
        ("malaya", ("greedy", "random", "random")),
        ("malaya", ("SEATED", "greedy", "random")),
    ],
)
def test_units_are_those_of_all_tables_in_plain_python(
    preset: str, seats: tuple[str, ...], recorded_file: Path
) -> None:
    rules = replace(load_rules(preset), wheel="lowest")
    named = {"FILE": str(recorded_file), "SEATED": SEATED}
    names = [named.get(seat, seat) for seat in seats]
    opened = [open_table(rules, len(seats), name) for name in names]
    files = seats.count("FILE")
    own = np.concatenate([table.pool.hands for table in opened[:files]] or [NOBODY.hands])
    colours = any(natural.name == "one-colour" for natural in rules.naturals)
    recorded = Recorded(own, np.arange(files + 1) * 40, COLOURS if colours else SUITS)
    hands, records = np.empty((4, len(seats)), np.int64), np.empty((4, files), np.int64)
    deal_tables(5, 0, recorded, hands, records)
    won = np.zeros(len(seats))
    for held, drawn in zip(hands.tolist(), records.tolist(), strict=True):
        orders = [(*range(files), *rest) for rest in permutations(range(files, len(seats)))]
        tables = [(order, bank) for order in orders for bank in range(len(seats))]
        answers = {
            (line, hand, banks): recorded_state(opened[line].pool, recorded_file, hand, drawn[line])
            if line < files
            else answer_of(replace(opened[line], seat=MET[rules.banker, banks]), hand, 5)
            for line, hand, banks in {
                (line, held[at], banks)
                for order in orders
                for at, line in enumerate(order)
                for banks in (False, True)
            }
        }
        for order, bank in tables:
            states = {
                str(line): answers[line, hand, at == bank]
                for at, (line, hand) in enumerate(zip(order, held, strict=True))
            }
            paid = naive_rules.settle(states, as_naive(rules), banker=str(order[bank]))
            won += [paid[str(line)] / len(tables) for line in range(len(seats))]
    played = simulate(names, rules, deals=4, seed=5)
    assert [seat.units for seat in played.seats] == pytest.approx(alike(seats, won / 4), abs=1e-12)
    assert played.tables == len(set(permutations(seats[files:]))) * (
        len(seats) if rules.banker else 1
    )


def alike(seats: tuple[str, ...], won: Any) -> list[float]:
    """What copies of a strategy win on average, which is all that duplicate play can tell."""
    places = [[place for place, name in enumerate(seats) if name == seat] for seat in seats]
    return [won[place].mean() for place in places]


def same(played: Simulation) -> dict[str, Any]:
    return {**played.to_dict(), "seconds": 0}


@pytest.mark.parametrize("preset", preset_names())
def test_greedy_beats_random_and_nothing_is_lost(preset: str) -> None:
    greedy, clumsy, other = simulate(["greedy", "random", "random"], preset, deals=300).seats
    assert greedy.units > 5 * greedy.se > 0
    assert clumsy.units == other.units < -5 * clumsy.se
    assert greedy.units + clumsy.units + other.units == pytest.approx(0, abs=1e-12)
    assert [greedy.name, clumsy.name, other.name] == ["greedy", "random 1", "random 2"]


def test_copies_of_one_strategy_win_nothing_from_each_other() -> None:
    played = simulate(["random"] * 4, "shisanshui", deals=50)
    assert [(seat.units, seat.se) for seat in played.seats] == [(0, 0)] * 4
    assert played.tables == 1


def test_the_result_depends_on_nothing_but_deals_and_seed(recorded_file: Path) -> None:
    seats = ["greedy", str(recorded_file), "random"]
    once = simulate(seats, deals=1_100)
    assert same(simulate(seats, deals=1_100, jobs=2)) == same(once)
    assert same(simulate(seats, deals=1_100, seed=1))["seats"] != same(once)["seats"]
    swapped = simulate(seats[::-1], deals=1_100)
    assert swapped.seats == once.seats[::-1]


def test_the_best_response_to_greedy_players_beats_them() -> None:
    pool = replace(make_pool("greedy", records=8_192), name="counter")
    counter, greedy = simulate([pool, "greedy"], deals=400).seats
    assert (counter.name, greedy.name) == ("counter", "greedy")
    assert counter.units > 5 * counter.se


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("preset", ["1-6", "giga", "shisanshui"])
def test_equilibrium_beats_greedy_and_random_as_the_readme_says(preset: str, place: int) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(.+)` \| (\S+) ± \S+ \| (\S+) ± \S+ \|$", readme, re.MULTILINE)
    told = {name: [float(units) for units in won] for name, *won in table}
    assert list(told) == list(preset_names())
    best = simulate(["equilibrium", MADE[place]], preset, deals=300, seed=1).seats[0]
    assert best.units > 4 * best.se
    assert best.units == pytest.approx(told[preset][place], abs=4 * best.se)


def test_a_player_who_knows_half_of_the_pool_is_as_good_as_three_who_know_it_all() -> None:
    """Their settings differ, so that 0 is no matter of course, as it is for copies."""
    best, *others = simulate(with_half("2-4"), deals=300).seats
    assert 0 < abs(best.units) < 4 * best.se < 0.4
    assert [other.units for other in others] == pytest.approx([-best.units / 3] * 3)


def with_half(preset: str) -> list[OpponentPool]:
    """A full table of equilibrium players, of whom the first knows half of the records alone."""
    rules = load_rules(preset)
    pool = choose_pool("equilibrium", rules)
    first = slice(len(pool.hands) // 2)
    plays = pool.strengths[first], pool.broken[first], pool.decisions[first]
    half = OpponentPool("half", pool.wheel, pool.seed, *plays)
    return [half] + [pool] * (rules.players[1] - 1)


def test_equilibrium_beats_greedy_players_by_what_others_measured() -> None:
    """A greedy player loses 1.23 units a deal to P. Hankin's near-optimal one (2015)."""
    best, greedy = simulate(["equilibrium", "greedy"], deals=1_000).seats
    assert best.units == -greedy.units == pytest.approx(1.25, abs=4 * best.se)
    assert best.se < 0.05


def test_standard_errors_are_the_spread_over_seeds() -> None:
    runs = [simulate(["greedy", "random"], deals=60, seed=seed).seats[0] for seed in range(60)]
    spread = np.std([run.units for run in runs], ddof=1)
    assert np.mean([run.se for run in runs]) == pytest.approx(spread, rel=0.35)


def test_deals_of_one_record_count_together() -> None:
    random = np.random.default_rng(3)
    units = random.normal(size=(2, 30))
    alone = units.std(axis=1, ddof=1) / 30**0.5
    assert _errors(units, np.empty((30, 0), np.int64)) == pytest.approx(alone)
    assert _errors(units, np.arange(30)[:, None]) == pytest.approx(alone)
    # every deal three times is no news, but for the degrees of freedom
    thrice = _errors(np.tile(units, 3), np.tile(np.arange(30), 3)[:, None])
    assert thrice == pytest.approx(alone * (30 * 29 / (90 * 89)) ** 0.5 * 3)


def test_recorded_hands_of_a_few_records_leave_much_open(recorded_file: Path) -> None:
    few, dealt_all = (
        simulate([seat, "greedy"], deals=2_000).seats[0] for seat in (str(recorded_file), "random")
    )
    assert few.se > 3 * dealt_all.se


@pytest.mark.parametrize(
    ("seats", "rules", "deals", "error"),
    [
        ([], "2-4", 9, "no seats"),
        (["greedy"], "2-4", 9, "1 player; the rules 2-4 are for 2 to 4"),
        (["greedy"] * 5, "2-4", 9, "5 players; the rules 2-4 are for 2 to 4"),
        (["greedy", "random"], "2-4", 1, "1 deals; a standard error needs at least 2"),
        (["greedy", "clever"], "2-4", 9, "no opponents are called 'clever'"),
        (["dull", "clever"], "2-4", 9, "'dull'; use equilibrium, greedy, random, or a file: .csv"),
        (["dull", "clever"], "2-4", 9, "no opponents are called 'clever'"),
        (["FILE", "FILE", "FILE"], "2-4", 9, "3 seats have recorded settings; use at most 2"),
    ],
)
def test_what_cannot_be_played(
    seats: list[str], rules: str, deals: int, error: str, recorded_file: Path
) -> None:
    named = [str(recorded_file) if seat == "FILE" else seat for seat in seats]
    with pytest.raises((SolveError, PoolError), match=re.escape(error)):
        simulate(named, rules, deals)


def test_recorded_hands_that_never_fit_together_are_told(recorded_file: Path) -> None:
    pool = open_table(opponents=recorded_file).pool
    same_hand = replace(pool, dealt=np.full(40, 0x1FFF))
    with pytest.raises(PoolError, match=r"fronts\.csv and fronts\.csv almost always share cards"):
        simulate([same_hand, replace(same_hand)], deals=2)


def test_recorded_decisions_are_as_the_rules_allow() -> None:
    """As `opening.field_of` takes them: naturals forced, no surrender where there is none."""
    dragons = OpponentPool(
        "dragons.csv",
        "lowest",
        seed=0,
        strengths=np.zeros((2, 3), np.int16),
        broken=np.zeros(2, np.uint8),
        decisions=np.full(2, SURRENDER, np.uint8),
        dealt=np.full(2, mask(range(0, 52, 4))),
    )
    forced = replace(load_rules("eastern"), optional=False)
    assert simulate([dragons, "greedy"], forced, deals=2).seats[0].units == 13
    free = simulate([dragons, "greedy"], "2-4", deals=2).seats[0]
    assert free.units == -4  # the rows, which are nothing, since nobody can surrender


# The command


def test_command(recorded_file: Path) -> None:
    ask = ("simulate", "--seats", f"greedy, {recorded_file},greedy", "--deals", "50")
    found = json.loads(
        capsa(*ask, "--rules", "shisanshui", "--format", "json", "--jobs", "1").stdout
    )
    assert list(found) == [
        *("rules", "deals", "tables", "seed", "seconds", "version", "seats", "notes"),
    ]
    assert [list(seat) for seat in found["seats"]] == [["name", "units", "se"]] * 3
    units = [f"{seat['units']:+.3f} ± {seat['se']:.3f} units a deal" for seat in found["seats"]]
    shown = capsa(*ask, "--rules", "shisanshui").stdout.splitlines()
    assert shown == [
        "rules shisanshui, 50 deals, each at 1 table",
        "",
        f"greedy 1    {units[0]}",
        f"fronts.csv  {units[1]}",
        f"greedy 2    {units[2]}",
        "",
        *found["notes"],
    ]
    assert len(found["notes"]) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--seats", "greedy,"], 1, "error: no opponents are called ''"),
        (["--seats", "greedy,none.csv"], 1, "error: none.csv: No such file or directory"),
        (["--seats", "greedy,greedy", "--seed", "-1"], 1, "error: seed -1 is out of range"),
        (["--seats", "greedy,greedy", "--rules", "nine"], 1, 'error: no rules are called "nine"'),
        (["--seats", "greedy,greedy", "--deals", "1"], 2, "Usage: "),
        ([], 2, "Usage: "),
    ],
)
def test_what_the_command_says_is_wrong(arguments: list[str], code: int, message: str) -> None:
    result = capsa("simulate", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
