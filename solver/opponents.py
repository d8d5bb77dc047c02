"""The conditional opponents of a hand: found in a pool, gathered into columns, and clustered.

They are the pool's records that share no card with the hand, under suit relabellings.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluator.jit import count_bits, inlined, kernel, lowest_bit, merged, part
from evaluator.kernels import LEGAL_MAX, relabel
from solver.deals import below, step, stream
from solver.pool import on_cache_lines
from solver.scoring import Side, Terms, Worths, side

I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

_SCAN = 256  # words of the card index scanned at a time
FIRST_LOOK = 256  # opponents that every candidate meets
_SLACK = 64  # records written beyond those wanted
# A record in one integer: the strengths of its side, back, middle and front, of 14 bits each, then
# 1 + the place of the natural that it declares in the rules' list, or 0. Surrender stands behind
# the naturals: a natural that pays minus its price.
_BITS = 14
_MASK = np.int64((1 << _BITS) - 1)
CHOICE = 3 * _BITS  # where that place begins


class Field(NamedTuple):
    """A pool under one rule set: all that a kernel needs to know of the opponents."""

    card_index: I64  # (52, words) bit rows: which records hold a card
    records: I64  # (n,) strengths and natural, packed
    worths: I64  # (n,) worth of back, middle, front and the extra, 16 bits each; (0,) if plain
    units: I64  # (naturals + 1,) what each natural of the rules pays; last, what surrender does
    relabellings: I64  # (24 or 8, 4) suit permutations that keep the rules' naturals


class Columns(NamedTuple):
    """The opponents who set, a column for each number of their sides; arrays of one length."""

    back: I16
    middle: I16
    front: I16
    back_worth: I16
    middle_worth: I16
    front_worth: I16
    extra: I16


class Space(NamedTuple):
    """Scratch of one thread for scoring against up to ``capacity`` opponents of one field."""

    order: I64  # (relabellings,) of which the i-th to be used is this one ...
    begins: I64  # ... and begins at this word of the card index
    scan: I64  # (256,)
    seen: I64  # (words,) records met under a relabelling, and those met under several
    repeated: I64
    found: I32  # (capacity + 64,) conditional opponents as records, in the order they were found
    record: I32  # (capacity,) the same, first those who set, then the others
    columns: Columns  # (capacity,) the sides of those who set
    fixed: I32  # (capacity,) what hero is paid by those who do not set, at their places
    sums: I64  # (36036,) units won by each candidate
    first: I16  # (256,) what the first opponents pay a setting
    second: I16  # (256,) ... and another
    scores: I32  # (capacity,) what each opponent pays a setting
    by_record: I32  # (2 * capacity,) ... the same by records
    best: I32  # (2 * capacity,) what the best setting is paid, by records
    counts: I64  # (8,) rows that a setting wins, rows it ties, and how often all or none
    cluster_of: I32  # (n,) cluster of a record, -1 if not known
    entries: I32  # (capacity,) opponents whose record may occur more than once ...
    clusters: I32  # ... and their clusters
    cluster_size: I64  # (capacity,)


class Met(NamedTuple):
    """How many conditional opponents a hand met, now in the scratch."""

    opponents: int
    setting: int  # those who set come first, those who declare or surrender after them
    entries: int  # of records that may occur more than once ...
    clusters: int  # ... in so many clusters


def space(field: Field, terms: Terms, capacity: int) -> Space:
    """Return new scratch for a field of opponents under a rule set."""
    words = field.card_index.shape[1]
    # the worths of plain rows, which `gather` leaves as they are here
    plain = (0, 0, 0, terms.back_unit, terms.middle_unit, terms.front_unit, 0)
    return Space(
        order=np.empty(len(field.relabellings), np.int64),
        begins=np.empty(len(field.relabellings), np.int64),
        scan=on_cache_lines(_SCAN),
        seen=np.empty(words, np.int64),
        repeated=np.empty(words, np.int64),
        found=np.empty(capacity + _SLACK, np.int32),
        record=np.empty(capacity, np.int32),
        columns=Columns(*(np.full(capacity, value, np.int16) for value in plain)),
        fixed=np.empty(capacity, np.int32),
        sums=np.empty(LEGAL_MAX, np.int64),
        first=np.empty(FIRST_LOOK, np.int16),
        second=np.empty(FIRST_LOOK, np.int16),
        scores=np.empty(capacity, np.int32),
        by_record=np.empty(2 * capacity, np.int32),
        best=np.empty(2 * capacity, np.int32),
        counts=np.empty(8, np.int64),
        cluster_of=np.full(len(field.records), -1, np.int32),
        entries=np.empty(capacity, np.int32),
        clusters=np.empty(capacity, np.int32),
        cluster_size=np.empty(capacity, np.int64),
    )


@kernel
def pack(
    strengths: NDArray[np.int16],
    broken: NDArray[np.uint8],
    naturals: I64,
    terms: Terms,
    worths: Worths,
    records: I64,
    packed: I64,
) -> None:
    """Write the records of a field, and if there are royalties their worths, from a pool.

    ``terms`` are those of the opponents' seat, and ``naturals`` (n,) the places in the rules' list
    of what each declares, the one behind the last where it surrenders, or -1.
    """
    for i in range(records.shape[0]):
        back, middle, front = strengths[i, 0], strengths[i, 1], strengths[i, 2]
        shown = side(back, middle, front, broken[i], terms, worths)
        word = naturals[i] + 1
        for strength in (shown.front, shown.middle, shown.back):
            word = word << _BITS | strength
        records[i] = word
        if terms.royalties:
            word = np.int64(shown.extra)
            for worth in (shown.front_worth, shown.middle_worth, shown.back_worth):
                word = word << 16 | (worth & 0xFFFF)
            packed[i] = word


@merged
def find_opponents(hand: int, field: Field, seed: int, wanted: int, space: Space) -> int:
    """Find conditional opponents: records that under some relabelling share no card with a hand.

    Relabellings come in an order drawn from (seed, hand), each from a record drawn likewise, so
    the first ``wanted`` are a fair sample of all. A record is written once for each relabelling
    that fits; ``space.repeated`` has the bits of all that are written more than once, and of a
    few others.

    Returns how many were written to ``space.found``.
    """
    draw_order(hand, seed, space)
    for word in range(space.seen.shape[0]):
        space.seen[word] = 0
        space.repeated[word] = 0
    count = 0
    for i in range(space.order.shape[0]):
        count = find_under(i, hand, field, count, wanted, True, space)
        if count >= wanted:
            return wanted
    return count


@part
def draw_order(hand: int, seed: int, space: Space) -> None:
    """Draw from (seed, hand) in which order relabellings come, and where each one begins."""
    order, begins = space.order, space.begins
    for i in range(order.shape[0]):
        order[i] = i
    state = stream(seed, hand)
    for i in range(order.shape[0]):
        state = step(state)
        j = i + below(state, order.shape[0] - i)
        order[i], order[j] = order[j], order[i]
    for i in range(order.shape[0]):
        state = step(state)
        begins[i] = below(state, space.seen.shape[0])


@part
def find_under(
    i: int, hand: int, field: Field, count: int, wanted: int, note: bool, space: Space
) -> int:
    """Write the opponents under the i-th relabelling drawn behind the first ``count`` found.

    Returns how many there are now, with some luck a few over those wanted. If asked to, it notes
    which are written again.
    """
    renamed = relabel(hand, field.relabellings[space.order[i]])
    begin, end = space.begins[i], space.seen.shape[0]
    for _ in range(2):  # from the first word to the end, then from the start up to it
        while begin < end:
            scan = space.scan[: min(_SCAN, end - begin)]
            scan_index(renamed, field.card_index, begin, scan)
            if note:
                note_seen(begin, scan, space)
            count = _write_found(begin, scan, count, wanted, space.found)
            if count >= wanted:
                return count
            begin += scan.shape[0]
        begin, end = np.int64(0), space.begins[i]
    return count


@merged
def scan_index(hand: int, index: I64, begin: int, scan: I64) -> None:
    """Write into ``scan``, from word ``begin`` on, the bits of the records disjoint from a hand."""
    size = scan.shape[0]
    for i in range(size):
        scan[i] = -1
    for _ in range(13):
        row = index[lowest_bit(hand)][begin : begin + size]
        hand &= hand - 1
        for i in range(size):
            scan[i] &= ~row[i]


@part
def note_seen(begin: int, scan: I64, space: Space) -> None:
    """Note what was found, and what of it had been found before."""
    size = scan.shape[0]
    seen, repeated = space.seen[begin : begin + size], space.repeated[begin : begin + size]
    for i in range(size):
        repeated[i] |= seen[i] & scan[i]
        seen[i] |= scan[i]


@part
def _write_found(begin: int, scan: I64, count: int, wanted: int, found: I32) -> int:
    """Write the records of the set bits behind the first ``count``, up to a few over ``wanted``.

    Three bits of every word are written without asking whether they are set, since a wrong guess
    by the processor costs more than the work: most words have none, one or two.
    """
    for i in range(scan.shape[0]):
        bits = scan[i]
        first = 64 * (begin + i)
        place = np.uint64(count)
        count += count_bits(bits)
        for _ in range(3):
            found[place] = first + lowest_bit(bits)
            bits &= bits - 1
            place += np.uint64(1)
        while bits:
            found[place] = first + lowest_bit(bits)
            bits &= bits - 1
            place += np.uint64(1)
        if count >= wanted:
            break
    return count


@merged
def gather(done: int, count: int, field: Field, terms: Terms, space: Space) -> int:
    """Gather the columns of opponents found: those who set first, the others last.

    They come behind the first ``done`` who set. Returns how many set, those included.
    """
    columns = space.columns
    setting, declaring = done, done + count
    for i in range(count):
        record = np.uint64(space.found[i])
        packed = field.records[record]
        natural = packed >> CHOICE
        if natural:
            declaring -= 1
            space.record[declaring] = record
            space.fixed[declaring] = -field.units[natural - 1]
            continue
        space.record[setting] = record
        columns.back[setting] = packed & _MASK
        columns.middle[setting] = packed >> _BITS & _MASK
        columns.front[setting] = packed >> 2 * _BITS & _MASK
        if terms.royalties:
            worth = field.worths[record]
            columns.back_worth[setting] = worth
            columns.middle_worth[setting] = worth >> 16
            columns.front_worth[setting] = worth >> 32
            columns.extra[setting] = worth >> 48
        setting += 1
    return setting


@merged
def link_records(count: int, space: Space) -> tuple[int, int]:
    """Put opponents of the same record into one cluster; return how many entries and clusters.

    Only opponents whose record may occur more than once are entered; all others are clusters of
    their own.
    """
    entries = clusters = 0
    for i in range(count):  # by itself, as a wrong guess of the processor costs more than the work
        record = np.uint64(space.record[i])
        space.entries[np.uint64(entries)] = i
        word = space.repeated[record >> np.uint64(6)]
        entries += word >> np.int64(record & np.uint64(63)) & 1
    for entry in range(entries):
        record = np.uint64(space.record[np.uint64(space.entries[entry])])
        cluster = space.cluster_of[record]
        if cluster < 0:
            cluster = clusters
            clusters += 1
            space.cluster_of[record] = cluster
            space.cluster_size[cluster] = 0
        space.clusters[entry] = cluster
        space.cluster_size[np.uint64(cluster)] += 1
    for i in range(entries):
        space.cluster_of[space.record[space.entries[i]]] = -1
    return entries, clusters


@merged
def meet(hand: int, field: Field, terms: Terms, seed: int, wanted: int, space: Space) -> Met:
    """Find, gather and cluster the conditional opponents of a hand in its standard suits."""
    count = find_opponents(hand, field, seed, wanted, space)
    setting = gather(0, count, field, terms, space)
    entries, clusters = link_records(count, space)
    return Met(count, setting, entries, clusters)


@inlined
def opponent(i: int, columns: Columns) -> Side:
    """Return the side of the i-th opponent who sets."""
    return Side(
        columns.back[i],
        columns.middle[i],
        columns.front[i],
        columns.back_worth[i],
        columns.middle_worth[i],
        columns.front_worth[i],
        columns.extra[i],
    )


@kernel
def spread(scores: I32, met: Met, space: Space) -> tuple[float, float]:
    """Return the mean of opponents' scores and its standard error, clustered by record."""
    sums = space.by_record[: met.opponents + met.clusters]
    add_by_record(scores, met, space, sums)
    return mean_and_error(sums, met, space)


@part
def add_by_record(scores: I32, met: Met, space: Space, sums: I32) -> None:
    """Write scores into ``sums``, those of one record added up.

    Behind the opponents' places come the sums of the clusters, with 0 at their members' places.
    """
    count = scores.shape[0]
    for i in range(count):  # `sums[:count] = scores` takes long to compile
        sums[i] = scores[i]
    sums[count:] = 0
    for entry in range(met.entries):
        place = np.uint64(space.entries[entry])
        sums[np.uint64(count + space.clusters[entry])] += scores[place]
        sums[place] = 0


@part
def mean_and_error(sums: I32, met: Met, space: Space) -> tuple[float, float]:
    """Return the mean of scores and its standard error from what `add_by_record` made of them.

    With A the sum of a record's scores and n how many it has, the variance of the mean over N
    opponents from R records is R / (R - 1) * sum of (A - n * mean)**2 / N**2: opponents made from
    one record by relabelling are not independent. (Cameron and Miller, "A practitioner's guide to
    cluster-robust inference", 2015, eq. 11.)
    """
    count = met.opponents
    total = squares = np.int64(0)
    for i in range(sums.shape[0]):
        total += np.int64(sums[i])
        squares += np.int64(sums[i]) * np.int64(sums[i])
    weighted = total  # sum of A * n
    sizes = np.int64(count - met.entries)  # sum of n * n
    for cluster in range(met.clusters):
        size = space.cluster_size[cluster]
        weighted += (size - 1) * np.int64(sums[count + cluster])
        sizes += size * size
    records = count - met.entries + met.clusters
    mean = total / count
    variance = (squares - 2 * mean * weighted + mean * mean * sizes) / count / count
    return mean, np.sqrt(max(variance, 0.0) * records / max(1, records - 1))
