"""Pools of opponents: who is in them, how they set, and how they are kept in files."""

import json
import pickle
import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import naive
import naive_opponents
import numpy as np
import pytest

from evaluator.broken import broken_code
from evaluator.cards import Cards
from evaluator.kernels import split_masks, workspace
from evaluator.ranking import Wheel, row_strength, tables
from solver import pool as pool_module
from solver.deals import deal
from solver.pool import (
    MADE,
    OpponentPool,
    PoolError,
    _set_random,
    load_pool,
    make_pool,
    read_pool,
    write_pool,
)

Notices = list[tuple[str, float]]


def same(one: OpponentPool, other: OpponentPool) -> bool:
    heads = [(pool.name, pool.wheel, pool.seed, pool.about, pool.digest) for pool in (one, other)]
    columns = [
        (pool.strengths, pool.broken, pool.decisions, pool.hands, pool.index)
        for pool in (one, other)
    ]
    return heads[0] == heads[1] and all(map(np.array_equal, *columns))


# Who is in them


@pytest.mark.parametrize("name", MADE)
def test_a_pool_made_twice_is_the_same(name: str) -> None:
    assert same(make_pool(name, records=300, seed=5), make_pool(name, records=300, seed=5))
    assert not same(make_pool(name, records=300, seed=5), make_pool(name, records=300, seed=6))


def test_records_are_the_deals_of_the_seed_whatever_their_number() -> None:
    pool = make_pool("greedy", records=200, seed=5)
    assert pool.hands.tolist() == [hand.mask for hand in deal(200, seed=5)]
    more = make_pool("greedy", records=300, seed=5)
    assert np.array_equal(more.strengths[:200], pool.strengths)


def test_other_names_are_refused() -> None:
    for make in (make_pool, load_pool):
        with pytest.raises(
            PoolError, match="no opponents are called 'clever'; use greedy or random"
        ):
            make("clever")


def test_the_card_index_tells_who_holds_a_card() -> None:
    pool = make_pool("random", records=100, seed=2)
    bits = np.unpackbits(pool.index.view(np.uint8), axis=1, bitorder="little")
    assert bits.shape == (52, 128)
    for card in range(52):
        assert bits[card, :100].tolist() == [hand >> card & 1 for hand in pool.hands.tolist()]
    assert bits[:, 100:].all(), "who is not there holds every card, so nobody meets them"


def test_progress_starts_at_nothing_and_ends_with_all() -> None:
    notices: Notices = []
    make_pool("random", records=20_000, progress=lambda what, share: notices.append((what, share)))
    shares = [share for _, share in notices]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert {what for what, _ in notices} == {"making the pool of random opponents, once"}


# How they set


@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_greedy_players_set_the_strongest_back_then_middle_then_front(wheel: Wheel) -> None:
    pool = make_pool("greedy", wheel, records=60, seed=11)
    for record, hand in enumerate(deal(60, seed=11)):
        setting = naive_opponents.greedy_setting(tuple(hand), wheel)
        strengths = [row_strength(row, wheel) for row in setting]
        assert pool.strengths[record].tolist() == strengths, str(hand)


def test_random_players_draw_every_legal_setting_alike() -> None:
    hand = Cards(naive.parse("As Ad 7h 7c 7s Kd Qd Jd Td 3c 3h 2s 2d"))
    legal = {
        frozenset(map(frozenset, rows)): i for i, rows in enumerate(naive.legal_settings(hand))
    }
    table, work = tables("lowest"), workspace()
    draws = Counter[int]()
    tries, cells = 20_000, 50
    for index in range(tries):
        split = _set_random(hand.mask, 7, index, table, work)
        rows = (Cards.from_mask(row) for row in split_masks(split, table, work))
        draws[legal[frozenset(map(frozenset, rows))] * cells // len(legal)] += 1
    sizes = Counter(i * cells // len(legal) for i in range(len(legal)))
    expected = {cell: tries * size / len(legal) for cell, size in sizes.items()}
    chi_square = sum((draws[cell] - mean) ** 2 / mean for cell, mean in expected.items())
    assert chi_square < 85.4  # 49 degrees of freedom, 1 in 1,000


def test_random_players_of_a_pool_set_legally_and_not_all_alike() -> None:
    pool = make_pool("random", records=5, seed=4)
    greedy = make_pool("greedy", records=5, seed=4)
    for strengths, hand in zip(pool.strengths.tolist(), deal(5, seed=4), strict=True):
        legal = {tuple(map(row_strength, setting)) for setting in _some_of_each(hand)}
        assert tuple(strengths) in legal
    assert (pool.strengths != greedy.strengths).any(axis=1).all()


def _some_of_each(hand: Cards) -> list[naive.Setting]:
    """One legal setting of each triple of strengths."""
    settings = naive.legal_settings(hand)
    keys = {tuple(naive_opponents.row_key(row) for row in rows): rows for rows in settings}
    return list(keys.values())


def test_pools_note_what_no_row_shows() -> None:
    pool = make_pool("random", records=3000, seed=3)
    found = np.flatnonzero(pool.broken)
    assert len(found) > 30
    held = [record for record, hand in enumerate(pool.hands) if broken_code(hand, 0, 0)]
    assert set(found.tolist()) <= set(held)
    for record in held:
        shown = {int(strength) for strength in pool.strengths[record, :2]}
        if all(strength < row_strength(naive.parse("2c 2d 2h 2s 3c")) for strength in shown):
            assert pool.broken[record], "held, and no row is as strong"


# How they are kept


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory of one's own, with pools that are made in no time."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _name: tmp_path / "cache")
    monkeypatch.setattr(pool_module, "make_pool", partial(make_pool, records=512))
    return tmp_path / "cache"


def kept(cache: Path) -> Path:
    (path,) = cache.rglob("*.npz")
    return path


def loaded(name: str = "random") -> tuple[OpponentPool, list[str]]:
    notices: list[str] = []
    pool = load_pool(name, progress=lambda what, _share: notices.append(what))
    return pool, notices


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_written_and_read_again_a_pool_is_the_same(name: str, wheel: Wheel, tmp_path: Path) -> None:
    pool = make_pool(name, wheel, records=300)
    write_pool(pool, tmp_path / "new" / "pool.npz")
    assert same(read_pool(tmp_path / "new" / "pool.npz"), pool)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["pool.npz"]


def test_records_of_a_banker_and_his_players_are_kept_apart(tmp_path: Path) -> None:
    pool = replace(make_pool("random", records=900), bankers=500)
    write_pool(pool, tmp_path / "pool.npz")
    read = read_pool(tmp_path / "pool.npz")
    assert (read.bankers, read.digest) == (500, pool.digest)
    assert read.digest != replace(pool, bankers=400).digest
    for seat, records in (("player", slice(500)), ("banker", slice(500, None))):
        assert np.array_equal(read.seats[seat].hands, pool.hands[records])  # type: ignore[index]
        assert np.array_equal(read.seats[seat].strengths, pool.strengths[records])  # type: ignore[index]
    alike = make_pool("random", records=64)
    assert all(seated is alike for seated in alike.seats.values())


def test_a_pool_is_made_once(cache: Path) -> None:
    made, notices = loaded()
    assert set(notices) == {"making the pool of random opponents, once"}
    written = kept(cache).stat()
    again, notices = loaded()
    assert notices == []
    assert same(again, made)
    assert kept(cache).stat() == written


def test_pools_of_both_wheels_are_kept_apart(cache: Path) -> None:
    wheels: tuple[Wheel, Wheel] = ("lowest", "second")
    for _ in range(2):
        assert tuple(load_pool("greedy", wheel).wheel for wheel in wheels) == wheels
    assert len(list(cache.rglob("*.npz"))) == 2


def edited(path: Path, **changes: object) -> None:
    """Change the head or the arrays of a pool's file."""
    with np.load(path) as file:
        arrays = dict(file)
    head = json.loads(str(arrays["head"]))
    head |= {key: value for key, value in changes.items() if key in head}
    arrays |= {key: np.array(value) for key, value in changes.items() if key not in head}
    np.savez_compressed(path, **{**arrays, "head": np.array(json.dumps(head))})


def in_the_middle(data: bytes) -> bytes:
    start, end = len(data) // 2, len(data) // 2 + 8
    return data[:start] + bytes(byte ^ 0xFF for byte in data[start:end]) + data[end:]


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": lambda path: path.write_bytes(in_the_middle(path.read_bytes())),
    "no zip": lambda path: path.write_text("<html>not found</html>"),
    "pickle": lambda path: path.write_bytes(pickle.dumps({"head": 1})),
    "pickled array": lambda path: edited(path, broken=[None, "x"]),
    "bare array": lambda path: path.write_bytes(b"\x93NUMPY\x01\x00" + bytes(200)),
    "other digest": lambda path: edited(path, digest="0" * 64),
    "other format": lambda path: edited(path, format=0),
    "other seed": lambda path: edited(path, seed=1),
    "other strengths": lambda path: edited(path, strengths=np.ones((512, 3), "<i2")),
    "no strengths": lambda path: np.savez(path, head=np.array("{}")),
    "a list for a head": lambda path: np.savez(path, head=np.array("[]")),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_pool_is_told_and_made_again(
    cache: Path, damage: Callable[[Path], object]
) -> None:
    made, _ = loaded()
    path = kept(cache)
    damage(path)
    with pytest.raises(PoolError, match=f"^{re.escape(f'the pool file {path} is damaged')}$"):
        read_pool(path)
    again, notices = loaded()
    assert notices[0] == f"the pool file {path} is damaged; making it again"
    assert same(again, made)
    assert same(read_pool(path), made), "the file is whole again"


def test_no_flipped_byte_goes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    pool = make_pool("random", records=100)
    write_pool(pool, path)
    data = path.read_bytes()
    outcomes = Counter[str]()
    for i in range(0, len(data), 3):
        path.write_bytes(data[:i] + bytes([data[i] ^ (1 << i % 8)]) + data[i + 1 :])
        try:
            assert same(read_pool(path), pool), "a byte that does not matter"
            outcomes["read"] += 1
        except (PoolError, OSError):  # the latter from seeking to nowhere
            outcomes["refused"] += 1
    assert outcomes["refused"] > outcomes["read"]


def test_a_pool_of_other_opponents_in_its_place_is_replaced(cache: Path) -> None:
    made, _ = loaded("greedy")
    path = kept(cache)
    write_pool(make_pool("random", records=512), path)
    again, _ = loaded("greedy")
    assert same(again, made)
    assert same(read_pool(path), made)


def test_without_a_place_for_files_pools_still_work(cache: Path) -> None:
    cache.write_text("a file where the directory should be")
    pool, notices = loaded()
    assert same(pool, make_pool("random", records=512))
    assert notices[-1].startswith(f"cannot keep the pool in {cache / 'pools'} (")


def test_a_read_only_place_is_told(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)  # whoever runs as root may write anywhere
    pool, notices = loaded()
    assert same(pool, make_pool("random", records=512))
    assert notices[-1] == f"cannot keep the pool in {cache / 'pools'} (Permission denied)"


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write_pool(make_pool("random", records=64), tmp_path / "pool.npz")
    assert list(tmp_path.iterdir()) == []


def test_several_may_make_the_same_pool_at_once(cache: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        pools = list(threads.map(load_pool, ["greedy"] * 8))
    assert all(same(pool, pools[0]) for pool in pools)
    assert [path.suffix for path in kept(cache).parent.iterdir()] == [".npz"]
    assert same(read_pool(kept(cache)), pools[0])
