"""Training a pool to play near the equilibrium, and measuring how far from it a player is.

The game of two players is symmetric and zero-sum, so its value is 0, and a strategy is judged by
its exploitability: what a perfect counter-player wins from it. Against a banker there are two
strategies, each trained against the other, and its value is the banker's edge.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from evaluator.kernels import canonical, relabel, workspace
from evaluator.ranking import tables
from solver import __version__
from solver.deals import deal_many
from solver.opening import Table, relabellings_of
from solver.opponents import Space, meet, space
from solver.pool import DISJOINT, SET, SURRENDER, OpponentPool, Progress, make_pool, silent
from solver.responding import Play, Responses, counter, responses
from solver.rules import FACING, RuleSet, digest, seats_of
from solver.scoring import terms_of
from solver.setter import best_responses
from solver.solve import decide, declaring

_T = TypeVar("_T")
Plays = tuple[NDArray[Any], ...]  # what records do: arrays (records, ...)
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

ROUNDS: Final = 32
RECORDS: Final = 204_800
FRESH: Final = 1 << 18  # records of the pool against which a player is measured
QUICK_RECORDS: Final = 65_536  # what a first use has patience for: a minute on one core
QUICK_ROUNDS: Final = 32
SEED: Final = 0xE0_1B  # of the deals of trained pools, apart from the small ones people use
_CHUNK: Final = 1024  # hands a thread answers at a time
_ALL: Final = 1 << 40  # more opponents than any pool has


class Round(NamedTuple):
    """One round of training: who answers, and how well they look."""

    share: float  # of the records
    looks: int  # relabellings of the pool that each meets


def schedule(rounds: int) -> list[Round]:
    """
    Plan the rounds of a training.

    Answers to an early, poor pool are worth little, so they are cheap and soon forgotten: round t
    replaces a share 2 / (t + 3) of the records, which weighs the rounds of fictitious play
    linearly, and never less than an eleventh. The last rounds look long, so that little is left
    of chance. (Measured with 2-4 scoring: 24 rounds of at least an eighth end 0.00008 units
    higher, and last rounds that replace ever less, at 0.0003.)

    >>> schedule(32)[0]
    Round(share=0.6666666666666666, looks=2)
    """
    plan = []
    for number in range(rounds):
        looks = 2 if number < rounds / 3 else 6 if number < rounds - 6 else 12
        plan.append(Round(max(2 / (number + 3), 0.09), looks))
    return plan


def fictitious_round(
    plays: Plays,
    answer: Callable[[Plays, I64], Plays],
    share: float,
    seed: tuple[int, int],
) -> Plays:
    """Let a random share of the records answer all of them as they are, and keep their answers.

    The records together are the mixed strategy of fictitious play (G. W. Brown, "Iterative
    solution of games by fictitious play", 1951), each round weighed by how many records still
    play what they answered in it.

    Parameters
    ----------
    plays
        What each record does: arrays (records, ...).
    answer
        Called with the plays and the places of the records drawn; returns what these do next.
    share
        Of the records, how many are drawn.
    seed
        Of the draw: of the training, and the number of the round.

    Returns
    -------
    Plays
        New arrays.

    Examples
    --------
    >>> switch = lambda plays, drawn: (1 - plays[0][drawn],)
    >>> (switched,) = fictitious_round((np.zeros(1000),), switch, 0.5, (0, 0))
    >>> bool(450 < switched.sum() < 550)
    True
    """
    drawn = np.flatnonzero(np.random.default_rng(seed).random(len(plays[0])) < share)
    kept = tuple(column.copy() for column in plays)
    for column, new in zip(kept, answer(plays, drawn), strict=True):
        column[drawn] = new
    return kept


def train_round(
    pool: OpponentPool, rules: RuleSet, number: int, plan: Round, jobs: int = 1
) -> OpponentPool:
    """Let a random share of the records answer the pool as it is, and keep their answers.

    Parameters
    ----------
    pool
        How everybody plays now.
    rules
        What pairs pay.
    number
        Draws the records, and the relabellings that each meets.
    plan
        The share of the records and how many relabellings.
    jobs
        Threads; the result does not depend on how many.

    Returns
    -------
    OpponentPool
        The same hands, some of them set in other ways.
    """
    seats = seats_of(rules)
    samples = round(plan.looks * len(pool.hands) / len(seats) * DISJOINT)
    seated = [Table(rules, 2, pool, number, samples, seat=seat) for seat in seats]

    def answer(_: Plays, drawn: I64) -> Plays:
        ends = [] if pool.bankers is None else [pool.bankers]
        parts = zip(seated, np.split(drawn, np.searchsorted(drawn, ends)), strict=True)
        play = _joined([respond(table, pool.hands[part], jobs) for table, part in parts])
        return *play.settings[:2], play.decisions

    plays = pool.strengths, pool.broken, pool.decisions
    return pool.playing(*fictitious_round(plays, answer, plan.share, (pool.seed, number)))


def train_pool(
    rules: RuleSet,
    rounds: int = ROUNDS,
    records: int | None = None,
    seed: int = SEED,
    jobs: int = 1,
    progress: Progress = silent,
) -> OpponentPool:
    """Train opponents for a rule set by fictitious play, from greedy players on.

    Clauses that look at the whole table are left out. Under rules with a banker, bankers answer
    the players and players the bankers.

    Parameters
    ----------
    rules
        What pairs pay.
    rounds, records, seed, jobs
        Rounds of `schedule`; hands, dealt from the seed; threads. If records is None, there are
        204,800, or half as many more where colours count, as fewer relabellings do then. Under
        rules with a banker one half of them plays him.
    progress
        Called with a description and the share done.

    Returns
    -------
    OpponentPool
        Called "equilibrium".

    Examples
    --------
    >>> from solver.rules import load_rules
    >>> train_pool(load_rules("2-4"), rounds=2, records=1000).name
    'equilibrium'
    """
    plans = schedule(rounds)
    work = [plan.share * (1 + plan.looks) for plan in plans]
    records = records or RECORDS + RECORDS // 2 * (len(relabellings_of(rules)) < 24)
    pool = make_pool("greedy", rules.wheel, records, seed)
    pool = replace(pool, name="equilibrium", bankers=records // 2 if rules.banker else None)
    for number, plan in enumerate(plans):
        progress(f"training opponents for {rules.name}", sum(work[:number]) / sum(work))
        pool = train_round(pool, rules, number, plan, jobs)
    progress(f"training opponents for {rules.name}", 1.0)
    about = {"rules": rules.name, "digest": digest(rules), "rounds": rounds}
    trained = replace(pool, about=about | {"version": __version__})
    return trained.playing(pool.strengths, pool.broken, pool.decisions)


def respond(
    table: Table, hands: I64, jobs: int = 1, progress: Progress = silent, what: str = ""
) -> Play:
    """Answer hands with the best response to the opponents of a table.

    Parameters
    ----------
    table
        Rules, opponents and how many of them each hand is to meet.
    hands
        Sets of cards (h,).
    jobs, progress, what
        Threads; called with the description ``what`` and the share done.

    Returns
    -------
    Play
        What `solve` would do with each hand.
    """
    _ = table.field  # once, before several threads ask for it
    return _joined(_in_threads(partial(best_responses, table), hands, jobs, progress, what))


def _joined(plays: list[Play]) -> Play:
    settings = zip(*(play.settings for play in plays), strict=True)
    return Play(
        Responses(*map(np.concatenate, settings)),
        np.concatenate([play.decisions for play in plays]),
    )


def _in_threads(
    work: Callable[[I64], _T], hands: I64, jobs: int, progress: Progress, what: str
) -> list[_T]:
    """Give parts of the hands to threads; return what comes back, in order."""
    parts = (hands[i : i + _CHUNK] for i in range(0, len(hands), _CHUNK))
    found: list[_T] = []
    for done in Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(
        delayed(work)(part) for part in parts
    ):
        found.append(done)
        progress(what, min(1.0, len(found) * _CHUNK / len(hands)))
    return found


@dataclass(frozen=True)
class Exploitability:
    """What the best counter-player wins from a player, in units a deal."""

    rules: str
    hands: int
    lower: float  # answers chosen on one half of the opponents, valued on the other
    lower_se: float
    upper: float  # answers valued on the opponents they were chosen on
    upper_se: float
    score_sd: float  # standard deviation of a deal's score
    edge: float | None = None  # what the player wins from himself as the banker, if there is one
    edge_se: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it in the form of ``capsa exploit --format json``."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def exploitability(
    rules: RuleSet,
    pool: OpponentPool,
    hands: int = 20_000,
    records: int | None = None,
    samples: int = _ALL,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress = silent,
    play: Callable[[I64], Play] | None = None,
) -> Exploitability:
    """Measure how exploitable a player is: the one who answers every hand with its best response.

    The player sets a fresh pool of hands, and then a counter-player who knows the pool answers
    fresh hands in turn. What counts is how much better his answers do than the player's own on
    the same hands against the same opponents, as the player wins nothing from himself. Under
    rules with a banker all that is done in either seat, with the same deals, and the mean counts.

    Parameters
    ----------
    rules
        What pairs pay.
    pool
        The opponents to whom the player's settings are best responses.
    hands, records
        Hands to counter, and of the fresh pool; if None, 262,144, or twice as many where colours
        count.
    samples
        Conditional opponents that the player looks at, as in `solve`.
    seed, jobs, progress
        Of the fresh deals; threads; called with a description and the share done.
    play
        Another player: called with hands (h,), by several threads at once; ``pool`` and
        ``samples`` then do not count.

    Returns
    -------
    Exploitability
        The truth lies between the two bounds, but for their standard errors.

    Examples
    --------
    >>> from solver.rules import load_rules
    >>> pool = make_pool("greedy", records=1000)
    >>> found = exploitability(load_rules("2-4"), pool, hands=20, records=1000)
    >>> found.lower < found.upper
    True
    """
    records = records or FRESH << (len(relabellings_of(rules)) < 24)
    fresh, heroes = np.empty(records, np.int64), np.empty(hands, np.int64)
    deal_many(seed, 0, fresh)
    deal_many(seed, records, heroes)
    asked = {seat: Table(rules, 2, pool, 0, samples, seat=seat) for seat in seats_of(rules)}
    plays = {seat: play or _answering(table) for seat, table in asked.items()}
    found = []
    for seat, own in plays.items():
        other = plays[FACING[seat]]
        done = _joined(_in_threads(other, fresh, jobs, progress, "setting a fresh pool"))
        player = OpponentPool("player", rules.wheel, seed, *done.settings[:2], done.decisions)
        # Halves of records, not of opponents: a record's relabellings must not be on both sides.
        parts = [player.part(slice(start, None, 2)) for start in (0, 1)]
        halves = [Table(rules, 2, part, 0, _ALL, seat=seat) for part in parts]
        for half in halves:
            _ = half.field  # once, before several threads ask for it
        counter_own = partial(_gains, own, halves)
        gains = _in_threads(counter_own, heroes, jobs, progress, "countering it")
        found.append(np.concatenate(gains))
    crossed, inner, squares, _ = np.mean(found, axis=0).T
    edge = (found[-1][:, 3] - found[0][:, 3]) / 2  # the luck of the deals cancels
    root = hands**0.5
    return Exploitability(
        rules.name,
        hands,
        float(crossed.mean()),
        float(crossed.std(ddof=1) / root),
        float(inner.mean()),
        float(inner.std(ddof=1) / root),
        float(squares.mean() ** 0.5),
        float(edge.mean()) if rules.banker else None,
        float(edge.std(ddof=1) / root) if rules.banker else None,
    )


def _answering(table: Table) -> Callable[[I64], Play]:
    """Return the player who gives the best response to the opponents of a table."""
    _ = table.field  # once, before several threads ask for it
    return partial(best_responses, table)


def _gains(play: Callable[[I64], Play], halves: list[Table], hands: I64) -> F64:
    """Return (h, 4) for hands (h,): what countering gains, squared scores, and what ``play`` wins.

    The gains are those found crosswise, and on the opponents that the answers were chosen on.
    """
    own, table = play(hands), halves[0]
    terms, worths = terms_of(table.rules, table.seat)
    fields = halves[0].field, halves[1].field
    wanted = halves[0].wanted
    spaces = space(fields[0], terms, wanted), space(fields[1], terms, wanted)
    found = responses(len(hands)), responses(len(hands))
    mine, crossed, best = (np.empty((len(hands), 2)) for _ in range(3))
    squares = np.empty(len(hands))
    ranks = tables(table.rules.wheel)
    counter(
        hands,
        own.settings,
        fields,
        terms,
        worths,
        ranks,
        wanted,
        workspace(),
        spaces,
        found,
        mine,
        crossed,
        squares,
    )
    # The EVs of the three decisions, (3, h, 2), in each half; an answer's own half is where it was
    # chosen, and in the other one it is worth ``crossed``.
    places = [declaring(half, hands, at) for half, at in zip(halves, spaces, strict=True)]
    fixed = [
        np.stack([evs for _, evs, _ in places], axis=1),
        np.stack([answer.surrender_evs for answer in found], axis=1),
    ]
    worth_own = np.stack([mine, *fixed])
    worth_best = np.stack([np.stack([answer.evs for answer in found], axis=1), *fixed])
    worth_crossed = np.stack([crossed, *fixed])
    holds, h = places[0][0] >= 0, np.arange(len(hands))
    for k in (0, 1):
        decisions = decide(table.rules, holds, list(worth_best[:, :, k]))
        best[:, k] = worth_best[decisions, h, k]
        crossed[:, 1 - k] = worth_crossed[decisions, h, 1 - k]
    mine = worth_own[own.decisions, h]
    for i in np.flatnonzero(own.decisions != SET):
        squares[i] = _mean_square(int(own.decisions[i]), hands[i : i + 1], halves[0], spaces[0])
    gains = (crossed - mine).mean(axis=1), (best - mine).mean(axis=1)
    return np.column_stack([*gains, squares, mine.mean(axis=1)])


def _mean_square(decision: int, hand: I64, table: Table, scratch: Space) -> float:
    """Return the mean square of what one hand (1,) is paid if it is not set."""
    declaring(table, hand, scratch)  # if it holds a natural, leaves in the scratch what that pays
    field, (terms, _) = table.field, terms_of(table.rules, table.seat)
    suits = field.relabellings[canonical(int(hand[0]), field.relabellings)]
    met = meet(relabel(int(hand[0]), suits), field, terms, table.seed, table.wanted, scratch)
    scores = scratch.scores[: met.opponents]
    if decision == SURRENDER:  # naturals are paid before anyone may surrender
        scores = np.minimum(scratch.fixed[: met.opponents], 0)
        scores[: met.setting] = -terms.surrender
    return float((scores.astype(np.int64) ** 2).mean())
