"""The pools that come with the program: all there, whole, and what they say they are."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from solver.equilibrium import SEED, Exploitability
from solver.pool import read_pool
from solver.rules import digest, load_rules, preset_names
from solver.shelf import DIGESTS, SHELF, about_pool, shipped_path

NAMES = preset_names()


def pool_of(name: str) -> Path:
    path = shipped_path(load_rules(name))
    assert path, f"no pool for {name}: sh scripts/train_pools {name}"
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_has_a_pool_of_its_own_rules(name: str) -> None:
    rules, path = load_rules(name), pool_of(name)
    pool = read_pool(path)
    assert (pool.name, pool.wheel, pool.seed) == ("equilibrium", rules.wheel, SEED)
    assert pool.about["digest"] == digest(rules)
    assert path.stem == f"{pool.about['rules']}-{digest(rules)}"
    assert len(pool.hands) >= 200_000
    assert path.stat().st_size <= 1_500_000
    assert (np.diff(pool.strengths) <= 0).all(), "every setting is legal"


@pytest.mark.parametrize("name", NAMES)
def test_every_pool_knows_how_exploitable_it_is(name: str) -> None:
    about = about_pool(pool_of(name))
    measured = Exploitability(**about["exploitability"])
    assert measured.rules == about["rules"]
    assert measured.hands >= 10_000
    assert measured.lower - 3 * measured.lower_se < measured.upper
    spread, middle = measured.score_sd, (measured.lower + measured.upper) / 2
    assert middle - measured.lower_se <= 0.00007 * spread
    assert measured.upper <= 0.00015 * spread
    assert max(measured.lower_se, measured.upper_se) <= 0.00003 * spread


@pytest.mark.parametrize("name", NAMES)
def test_files_of_pools_are_plain_arrays(name: str) -> None:
    with np.load(pool_of(name), allow_pickle=False) as file:
        assert {key: file[key].dtype.str for key in file if key != "head"} == {
            "strengths": "<i2",
            "broken": "|u1",
            "decisions": "|u1",
        }
        assert json.loads(str(file["head"]))["name"] == "equilibrium"


def test_the_readme_tells_how_hard_they_are_to_beat(train_pools: ModuleType) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert "\n".join(train_pools.table(NAMES, SHELF)) in readme


def test_the_list_of_digests_is_that_of_the_pools() -> None:
    listed = dict(reversed(line.split()) for line in (SHELF / DIGESTS).read_text().splitlines())
    assert listed == {path.name: read_pool(path).digest for path in SHELF.glob("*.npz")}
    assert len(listed) == len({digest(load_rules(name)) for name in NAMES})
