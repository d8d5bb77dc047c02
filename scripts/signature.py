"""Print one number for the answers to 200 hands; `scripts/signature` runs this.

A commit that leaves tests/signature.txt alone changes no answer. One that changes answers says
why, and writes the file anew: sh scripts/signature > tests/signature.txt
"""

import argparse
import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evaluator.cards import parse_hand
from solver.deals import deal_many
from solver.opening import Table, open_table
from solver.solve import run

OPPONENTS = ("greedy", "equilibrium")
PLAYERS = {"2-4": 2, "2-4-royalties": 3, "eastern": 2, "shisanshui": 4, "pusoy": 3}
HANDS = 40  # under each preset
PART = 10  # solved by one thread
NATURALS = (  # dealt hands rarely hold one
    "As Kd Qc Jc Tc 9s 8d 7c 6c 5c 4s 3d 2c",  # dragon
    "Ac 9c 8c 7c 6c 5s 5h 5c 4h 4d 3s 3c 2s",  # three straights, or a straight flush and trips
    "Ah Ac Qd Qc Td 9s 9h 8s 8h 7s 7h 3s 3h",  # six pairs
    "Ks Kd Kc Qs Qd Qc Js Jd Jc Ts Td Tc 9h",  # four trips, twelve royals
    "As Ks 9s 7s 4s Ah Qh Jh 8h 2h Td 6d 3d",  # three flushes
)


def main() -> None:
    parser = argparse.ArgumentParser(description="one number for all answers")
    parser.add_argument("--threads", type=int, default=1)
    threads = parser.parse_args().threads
    for opponents in OPPONENTS:
        print(signature(opponents, threads), opponents)


def signature(opponents: str, threads: int) -> str:
    digest = hashlib.sha256()
    hands = listed_hands().reshape(len(PLAYERS), -1, PART)
    for (rules, players), parts in zip(PLAYERS.items(), hands, strict=True):
        table = open_table(rules, players, opponents, deals=200)  # for home runs
        with ThreadPoolExecutor(threads) as pool:
            for answers in pool.map(partial(answered, table), parts):
                digest.update(answers)
    return digest.hexdigest()[:16]


def listed_hands() -> NDArray[np.int64]:
    """Return the hands of all presets, as sets of cards."""
    hands = np.empty(len(PLAYERS) * HANDS, np.int64)
    deal_many(2026, 0, hands)
    hands.reshape(-1, HANDS)[:, : len(NATURALS)] = [parse_hand(hand).mask for hand in NATURALS]
    return hands


def answered(table: Table, hands: NDArray[np.int64]) -> bytes:
    """Return every number of the answers to some hands."""
    answers = run(table, hands, 3)
    numbers = *answers.settings, answers.declare_ev, answers.declare_se, *answers.decided(table)
    return b"".join(np.ascontiguousarray(part).tobytes() for part in numbers)


if __name__ == "__main__":
    main()
