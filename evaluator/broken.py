"""Quads and straight flushes that a hand holds and no row of its setting shows."""

import numpy as np

from evaluator.jit import kernel, part

QUADS, STRAIGHT_FLUSH, ROYAL_FLUSH = 1, 2, 4  # the bits of a broken code

_WHEEL = sum(1 << 4 * rank for rank in (0, 1, 2, 3, 12))
_RUN = sum(1 << 4 * rank for rank in range(5))


@kernel
def broken_code(hand: int, back: int, middle: int) -> int:
    """Return bits for what the hand (a set of cards) holds and back and middle do not show.

    A straight flush that shares a card with one shown is not a second one: of six cards in a row
    a row can show only five.
    """
    shown = np.int64(0)
    for top in range(3, 13):
        for suit in range(4):
            run = _run(top, suit)
            if back == run or middle == run:
                shown |= run
    code = 0
    for top in range(3, 13):
        for suit in range(4):
            run = _run(top, suit)
            if hand & run == run and shown & run == 0:
                code |= ROYAL_FLUSH if top == 12 else STRAIGHT_FLUSH
    for rank in range(13):
        four = np.int64(15) << 4 * rank
        if hand & four == four and back & four != four and middle & four != four:
            code |= QUADS
    return code


@part
def _run(top: int, suit: int) -> int:
    """Return the straight flush up to a rank, 3 for A-2-3-4-5, as a set of cards."""
    return int(np.int64(_WHEEL if top == 3 else _RUN << 4 * (top - 4)) << suit)
