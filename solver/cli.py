"""The command line `capsa`: answers on stdout, everything else on stderr.

Exit codes: 0 done, 1 wrong input, 2 wrong usage, 3 done but some of the hands failed. Numba and
numpy are imported only when a command that needs them runs.
"""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from evaluator.cards import parse_hand
from solver import __version__
from solver.cli_batch import batch
from solver.cli_compare import compare
from solver.cli_parts import (
    SOME_FAILED,
    Deals,
    Form,
    FormOption,
    ObjectiveOption,
    Opponents,
    Players,
    RiskOption,
    Rules,
    Samples,
    SeatOption,
    Seed,
    Stakes,
    Strict,
    answer,
    engine,
    presets,
    rendered,
    tell_error,
)
from solver.cli_quiz import quiz
from solver.cli_simulate import simulate
from solver.cli_train import exploit, train
from solver.columns import SOLVE_COLUMNS, csv_text, setting_rows, with_risk
from solver.rules import load_rules, preset_names
from solver.solution import Solution
from solver.wishes import DEALS

if TYPE_CHECKING:
    from solver.explanation import Explanation


_LONGEST_HAND = 80  # characters of a line that is no hand, as its row of csv repeats them


@contextmanager
def _telling() -> Iterator[None]:
    """Tell what stops a command in a line or a few, without a traceback."""
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough, as in `| head -1`
        _drop_unwritten()
        raise typer.Exit from None
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # as rich takes it, showing help
            raise typer.Exit from None
        raise
    except ValueError as error:
        tell_error(str(error))
    except MemoryError:
        tell_error("out of memory")
    except OSError as error:
        tell_error(f"{error.filename or 'output'}: {error.strerror}")
        _drop_unwritten()
    else:
        return
    raise typer.Exit(1)


class _Commands(typer.core.TyperGroup):
    """The commands, each of which tells what stops it."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with _telling():  # --help and --version answer from here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _telling():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
rules_app = typer.Typer(no_args_is_help=True, help="List, show and check rule sets.")
app.add_typer(rules_app, name="rules")


def _show_version(wanted: bool) -> None:
    if wanted:
        answer(f"capsa {__version__}\n")
        raise typer.Exit


@app.callback()
def _capsa(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find the best setting of a hand of Chinese poker."""


@app.command()
def solve(
    cards: Annotated[
        list[str],
        typer.Argument(
            metavar="CARDS", help="One hand of 13 cards, quoted or not; - reads one hand a line."
        ),
    ],
    rules: Rules = "2-4",
    players: Players = 2,
    seat: SeatOption = None,
    opponents: Opponents = "equilibrium",
    samples: Samples = None,
    top: Annotated[int, typer.Option(min=1, help="Settings to list.")] = 5,
    seed: Seed = 0,
    strict: Strict = False,
    form: FormOption = "table",
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Take the EVs apart: which clause pays what. Not with stakes, objective or risk.",
        ),
    ] = False,
    stakes: Stakes = "",
    objective: ObjectiveOption = "ev",
    risk: RiskOption = False,
    deals: Deals = DEALS,
) -> None:
    """Find the best setting of a hand, what it is worth, and what the next best ones cost.

    As json, the answer is one object a hand, each on a line of its own. As csv it is one line for
    each listed setting, the first as in a batch: its ev and se are the decision's, those of the
    others the setting's own. gap2 is the EV lead of the best over the second best, and error tells
    what is wrong with a hand read with -, of which nothing else is filled in.

    The objective risk:LAMBDA is EV - LAMBDA x variance of the deal's total, so that 0.01 gives up
    one unit for a hundred units squared. Costs are in EV whatever the objective.
    """
    wishes: dict[str, Any] = {"stakes": stakes, "objective": objective, "risk": risk}
    if explain and (stakes or risk or objective != "ev"):
        raise typer.BadParameter(
            "only an EV in units is taken apart; leave out --stakes, --objective and --risk",
            param_hint="--explain",
        )
    if explain and form == "csv":
        raise typer.BadParameter(
            "csv has no room for it; use table or json", param_hint="--explain"
        )
    hand = " ".join(cards)
    if hand != "-":
        parse_hand(hand)  # a typing error is told before anything slow is loaded
    rule_set = load_rules(rules)
    with engine() as bar:
        from solver.opening import open_table
        from solver.solve import solve as solve_hand

        find: Callable[..., Solution | Explanation] = solve_hand
        if explain:  # only here: it has kernels of its own
            from solver.explanation import explain as explain_hand

            find = explain_hand
        asked = rule_set, players, opponents, samples, seed, bar, strict
        table = open_table(*asked, **wishes, deals=deals, seat=seat)
        ask = partial(
            find,
            rules=table.rules,
            players=players,
            opponents=table.pool,
            samples=samples,
            top=top,
            seed=seed,
            deals=deals,
            seat=table.seat,
            **({} if explain else wishes),
        )
        columns = with_risk(SOLVE_COLUMNS, risk)
        head = ",".join(columns) + "\n" if form == "csv" else ""
        if hand == "-":
            answer(head)
            _solve_lines(ask, form, columns)
        else:
            answer(head + _shown(ask(hand), form, columns))


for command in (compare, quiz, batch, simulate, train, exploit):
    app.command()(command)


@app.command()
def score(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE.csv",
            help="Columns player, back, middle, front; declare and surrender where needed.",
        ),
    ],
    rules: Rules = "2-4",
    stakes: Annotated[
        Path | None,
        typer.Option(
            metavar="STAKES.csv",
            help="Columns player_a, player_b, unit: what a unit is worth between two players.",
            show_default="1 for all",
        ),
    ] = None,
    banker: Annotated[
        str | None, typer.Option(metavar="NAME", help="The banker, under rules with one.")
    ] = None,
    form: FormOption = "table",
) -> None:
    """Settle a table of set hands: who pays whom and why, then each player's total.

    A player with a natural's name in the column declare is paid for that; surrender is yes or no.
    The numbers that end the reasons are units, positive where the second player of a pair pays the
    first. As csv, the lines of the players' totals come last, with b empty.
    """
    rule_set = load_rules(rules)
    with engine():
        from solver.table_csv import score_files, score_text

        settled = score_files(table, rule_set, stakes, banker)
        if form == "json":
            answer(json.dumps(settled.to_dict()) + "\n")
        elif form == "csv":
            answer(score_text(settled))
        else:
            from solver.display import Paragraphs, score_lines

            answer(rendered(Paragraphs(score_lines(settled))))


@app.command()
def deal(
    n: Annotated[int, typer.Option("-n", min=0, max=1_000_000, help="How many hands.")] = 1,
    seed: Seed = 0,
) -> None:
    """Deal hands of 13 cards, one a line."""
    with engine():
        from solver import deal as deal_hands

        answer("".join(f"{hand}\n" for hand in deal_hands(n, seed)))


@app.command()
def warmup() -> None:
    """Compile the solver and make the pools of opponents, which the first solve would do."""
    with engine() as bar:
        from solver.solve import warm_up

        warm_up(progress=bar)
    answer("ready\n")


@rules_app.command("list")
def list_rules() -> None:
    """List the presets and how well each is sourced."""
    from solver.display import rules_table

    answer(rendered(rules_table(map(load_rules, preset_names()))))


@rules_app.command("show")
def show_rules(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A preset or a file ending in .toml.", autocompletion=presets
        ),
    ],
) -> None:
    """Tell a rule set in plain words, and how good the opponents shipped for it are."""
    from solver.display import Paragraphs, shelf_lines
    from solver.rules_words import describe

    rule_set = load_rules(name)
    answer(rendered(Paragraphs([*describe(rule_set), *shelf_lines(rule_set)])))


@rules_app.command("check")
def check_rules(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A rule set of your own, a TOML file.")
    ],
) -> None:
    """Tell all that is wrong with a rule set of your own, with lines and keys."""
    from solver.rules_words import cautions

    rules = load_rules(file)
    for caution in cautions(rules):
        answer(f"caution: {caution}\n")
    answer(f"{file}: a valid rule set\n")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals that lack a letter
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
    app(prog_name="capsa")


def _solve_lines(
    ask: Callable[[str], "Solution | Explanation"], form: Form, columns: Sequence[str]
) -> None:
    """Solve the hands of stdin, one a line, past those that fail."""
    answered = failed = False
    for number, line in enumerate(sys.stdin or (), start=1):
        if not line.strip():
            continue
        try:
            solution = ask(line)
        except ValueError as error:
            failed = True
            tell_error(f"line {number}: {error}")
            if form == "csv":
                hand = line.strip()
                if len(hand) > _LONGEST_HAND:
                    hand = hand[: _LONGEST_HAND - 1] + "…"
                answer(csv_text([{"hand": hand, "error": str(error)}], columns))
        else:
            answer("\n" * (form == "table" and answered) + _shown(solution, form, columns))
            answered = True
    if failed:
        raise typer.Exit(SOME_FAILED)


def _shown(solution: "Solution | Explanation", form: Form, columns: Sequence[str]) -> str:
    if form == "json":
        return json.dumps(solution.to_dict()) + "\n"
    if not isinstance(solution, Solution):
        from solver.cli_compare_view import ExplanationView

        return rendered(ExplanationView(solution))
    if form == "csv":
        return csv_text(setting_rows(solution), columns)
    from solver.display import SolutionView

    return rendered(SolutionView(solution))


def _drop_unwritten() -> None:
    """Let what is still in a buffer go nowhere; Python would complain when it exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
