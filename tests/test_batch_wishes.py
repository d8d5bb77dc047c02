"""Stakes, objectives and risk in batches and arrays: the answers of `solve`, wherever a row is."""

import json
import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from test_batch import FLUSHES, HANDS, Batch, column_of
from test_cli import capsa

from solver import batch as batch_module
from solver import solve, solve_many
from solver.batch import run_batch
from solver.batch_files import BatchError
from solver.batch_solve import Asked, arguments, solve_chunk
from solver.columns import BATCH_COLUMNS, RISK_COLUMNS, setting_rows
from solver.opening import open_table
from solver.solution import DECISIONS, Solution
from solver.wishes import Risk

WEAK = "Kh Qh Jd 9c 8s 7d 6c 5h 4s 3h 2d 2c Td"
ASKED = [*HANDS[:3], FLUSHES, WEAK]
FEW: dict[str, Any] = {"opponents": "greedy", "samples": 200, "deals": 40, "seed": 3}
WISHES: list[dict[str, Any]] = [
    {"rules": "giga", "players": 3, "stakes": "10,0.5"},
    {"rules": "giga", "players": 3, "objective": "risk:0.4", "risk": True},
    {"rules": "2-4", "players": 2, "objective": "win-chance", "risk": True, "stakes": [100]},
    {"rules": "shisanshui", "players": 3, "stakes": (1, 7)},
    {"rules": "shisanshui", "players": 4, "objective": "win-chance"},
    {"rules": "malaya", "players": 3, "seat": "banker", "risk": True, "stakes": "2,1"},
]


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def solved(wish: dict[str, Any]) -> list[Solution]:
    return [solve(hand, **FEW, **wish) for hand in ASKED]


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_rows_say_what_solve_says(batch: Batch, wish: dict[str, Any]) -> None:
    rows = batch.run(column_of(*ASKED), **FEW, **wish)
    assert batch.counts == (len(ASKED), 0)
    for row, solution in zip(rows, solved(wish), strict=True):
        best, second = solution.settings[:2]
        spread = solution.risk.to_dict() if solution.risk else {}
        assert row == {
            "hand": row["hand"],
            **{name: str(getattr(best.setting, name)) for name in ("back", "middle", "front")},
            "decision": solution.decision,
            "ev": f"{solution.ev:z.6f}",
            "se": f"{solution.se:z.6f}",
            "gap2": f"{second.gap - best.gap:z.6f}",
            "samples": "200",
            "rules": wish["rules"],
            **{name: f"{value:z.6f}" for name, value in spread.items()},
            "error": "",
        }
        assert {**setting_rows(solution)[0], "hand": row["hand"], "error": ""} == {
            **row,
            "rank": "1",
        }
    if wish["rules"] == "giga":
        assert len({row["decision"] for row in rows}) > 1


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_arrays_say_what_solve_says(wish: dict[str, Any]) -> None:
    found = solve_many(ASKED, **FEW, **wish)
    for h, one in enumerate(solved(wish)):
        assert found.settings[h].tolist() == [card for row in one.best.setting for card in row]
        assert DECISIONS[found.decisions[h]] == one.decision
        assert (found.ev[h], found.se[h], found.gap2[h]) == (one.ev, one.se, one.gap2)
        assert (found.risk is None) == (one.risk is None)
        if found.risk is not None:
            assert Risk(*found.risk[h].tolist()) == one.risk
    frame = found.to_frame()
    assert frame.columns[-6:] == list(RISK_COLUMNS) or found.risk is None
    assert found.risk is None or np.array_equal(frame["low"], found.risk[:, 4])


def test_gap2_is_below_zero_where_the_objective_gives_up_ev(batch: Batch) -> None:
    wish = WISHES[1]
    gaps = [float(row["gap2"]) for row in batch.run(column_of(*ASKED), **FEW, **wish)]
    assert min(gaps) < 0
    listed = [solution.settings[:2] for solution in solved(wish)]
    assert gaps == pytest.approx([one.ev - two.ev for one, two in listed], abs=1e-6)
    hardest = [hard.gap2 for hard in batch.report.summary.hardest]
    assert hardest == sorted(map(abs, gaps))


def test_risk_adds_its_columns_before_the_error(batch: Batch) -> None:
    batch.run(f"win,hand\nx,{HANDS[0]}\n")
    assert batch.target.read_text().split("\n")[0] == f"win,hand,{','.join(BATCH_COLUMNS)}"
    with pytest.raises(BatchError, match="has columns that batch adds: win; rename them"):
        batch.run(f"win,hand\nx,{HANDS[0]}\n", risk=True, force=True)
    batch.run(f"hand\n{HANDS[0]}\nAs\n", risk=True, force=True)
    head, _, failed, _ = batch.target.read_text().split("\n")
    added = [*BATCH_COLUMNS[:-1], *(field.name for field in fields(Risk)), "error"]
    assert head.split(",") == ["hand", *added]
    assert failed.startswith("As" + "," * len(added) + '"not a hand')


def test_rules_of_the_file_and_parquet_have_the_columns_too(tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pl.DataFrame({"hand": HANDS[:2], "rules": ["plain", None]}).write_parquet(source)
    run_batch(str(source), str(target), risk=True, **FEW)
    found = pl.read_parquet(target)
    added = [name for name in BATCH_COLUMNS[:-1] if name != "rules"]
    assert found.columns == ["hand", "rules", *added, *RISK_COLUMNS, "error"]
    assert found.select(RISK_COLUMNS).dtypes == [pl.Float64] * len(RISK_COLUMNS)


def test_neither_place_nor_threads_nor_chunks_matter(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = column_of(*ASKED, *reversed(ASKED), "As", *ASKED)
    wish = {"rules": "shisanshui", "players": 3, "risk": True}
    written = []
    for chunk, jobs in ((64, 1), (64, 2), (1, 2), (4, 1)):
        monkeypatch.setattr(batch_module, "_JOINT_CHUNK", chunk)
        rows = batch.run(text, jobs=jobs, force=True, **FEW, **wish)
        written.append(batch.target.read_bytes())
    assert written == [written[0]] * 4
    n = len(ASKED)
    assert rows[:n] == rows[n : 2 * n][::-1] == rows[2 * n + 1 :]


@pytest.mark.parametrize(("players", "told"), [(2, [0, 5]), (3, [0, 1, 2, 3, 4, 5])])
def test_rows_that_take_long_are_written_one_by_one(
    batch: Batch, players: int, told: list[int]
) -> None:
    done: list[int] = []
    batch.run(
        column_of(*ASKED),
        players=players,
        risk=True,
        progress=lambda rows, _all, _failed: done.append(rows),
        **FEW,
    )
    assert done == told


def test_what_a_worker_is_sent_is_answered_there_alike() -> None:
    table = open_table("shisanshui", 3, stakes="10,0.5", objective="win-chance", risk=True, **FEW)
    sent = arguments([Asked(hand, table) for hand in ASKED])
    assert solve_chunk(*pickle.loads(pickle.dumps(sent))) == solve_chunk(*sent)  # type: ignore[arg-type]


def test_stakes_that_do_not_fit_a_row_are_its_error(batch: Batch) -> None:
    text = "hand,players,rules\n" + "".join(
        f"{HANDS[0]},{own}\n" for own in (",", "4,", ",malaya", ",giga")
    )
    rows = batch.run(text, players=3, stakes="1,2", **FEW)
    errors = [row["error"] for row in rows]
    assert errors[0] == errors[3] == ""
    assert errors[1] == "stakes: 2 given, 3 needed, one for each opponent you settle with"
    assert errors[2] == "stakes: 2 given, 1 needed, one for each opponent you settle with"


def test_a_run_goes_on_only_with_the_same_wishes(batch: Batch) -> None:
    text, wish = column_of(*ASKED), {"players": 3, "stakes": "10,0.5", "risk": True}
    batch.run(text, **FEW, **wish)
    batch.run(text, resume=True, **FEW, **wish)
    assert batch.report.again
    batch.target.with_name("out.csv.partial").touch()
    others = {"stakes": (), "objective": "risk:0.2", "risk": False, "deals": 41}
    with pytest.raises(BatchError) as caught:
        batch.run(text, resume=True, **{**FEW, **wish, **others})
    for told in (
        "deals was 40, now 41",
        "objective was ev, now risk:0.2",
        "risk was asked for, now not asked for",
        "stakes was 10,1/2, now 1 each",
    ):
        assert f" {told};" in str(caught.value)


def test_the_summary_says_what_is_paid(batch: Batch) -> None:
    evs = []
    for stakes in ((), (20, 20)):
        batch.run(column_of(*HANDS), players=3, stakes=stakes, force=True, **FEW)
        assert batch.report.summary.stakes == stakes
        evs.append(batch.report.summary.mean_ev)
    assert evs[1] == pytest.approx(20 * evs[0], abs=1e-4)


# The commands


def test_command(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(column_of(*ASKED))
    ask = ("--players", "3", "--opponents", "greedy", "--samples", "200", "--deals", "40")
    ask += ("--stakes", "10,0.5", "--objective", "win-chance", "--risk")
    done = capsa("batch", str(source), *ask, "--quiet", "--summary")
    assert done.exit_code == 0
    header, *rows = done.stdout.splitlines()
    assert done.stderr.splitlines()[1].endswith(" in money, stakes 10, 0.5")
    alone = capsa("solve", ASKED[0], *ask, "--format", "csv", "--top", "1").stdout.splitlines()
    assert alone == [f"rank,{header}", f"1,{alone[1].split(',')[1]},{rows[0].split(',', 1)[1]}"]
    told = capsa(
        "batch", str(source), "-o", str(tmp_path / "out.csv"), *ask, "--summary", "--format=json"
    )
    assert json.loads(told.stdout)["stakes"] == [10, 0.5]
