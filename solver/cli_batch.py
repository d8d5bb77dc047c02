"""The command `capsa batch`: its options, its progress, its summary."""

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from solver.cli_parts import (
    SOME_FAILED,
    Deals,
    Jobs,
    ObjectiveOption,
    Opponents,
    Players,
    RiskOption,
    Rules,
    Samples,
    SeatOption,
    Seed,
    Stakes,
    answer,
    engine,
    rendered,
    tell_error,
)
from solver.wishes import DEALS

if TYPE_CHECKING:
    from solver.batch_tally import Summary


def batch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN.csv",
            help="Deals: a header row and a column hand, or columns c1 to c13; - is stdin.",
        ),
    ],
    target: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT.csv", help="Where to; - is stdout.")
    ] = "-",
    column: Annotated[str | None, typer.Option(help="The column of the hands.")] = None,
    rules: Rules = "2-4",
    players: Players = 2,
    seat: SeatOption = None,
    opponents: Opponents = "equilibrium",
    samples: Samples = None,
    seed: Seed = 0,
    stakes: Stakes = "",
    objective: ObjectiveOption = "ev",
    risk: RiskOption = False,
    deals: Deals = DEALS,
    jobs: Jobs = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Dask cluster, tcp://HOST:PORT."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped run.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the output file, or a stopped run.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad row.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Tell what the answers come to.")
    ] = False,
    form: Annotated[
        Literal["table", "json"], typer.Option("--format", help="Form of the summary.")
    ] = "table",
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress, no notices.")] = False,
) -> None:
    """Solve a file of deals: every row again, with the answer's columns added.

    The columns are back, middle, front (the best setting), decision, ev and se (of the decision),
    gap2 (the EV lead over the second best), samples, rules and error; with --risk also, before
    error, those of the decision's total: sd, the chances to win, lose and break even, and what it
    is below (low) and above (high) in 5 % of deals. Columns rules and players of the file override
    the options for their row. Files may be CSV, CSV packed as .gz, or .parquet.

    The output file appears when it is complete. Until then a run that was stopped, in whatever
    way, goes on with --resume and the same options, to the same bytes.
    """
    if jobs and cluster:
        raise typer.BadParameter("the cluster has its own threads", param_hint="--jobs")
    with engine(quiet) as bar:
        from solver.batch import run_batch
        from solver.cli_batch_view import RowsBar

        try:
            with RowsBar(bar.console) as rows:
                report = run_batch(
                    source,
                    target,
                    rules=rules,
                    players=players,
                    seat=seat,
                    opponents=opponents,
                    samples=samples,
                    seed=seed,
                    stakes=stakes,
                    objective=objective,
                    risk=risk,
                    deals=deals,
                    jobs=jobs or os.cpu_count() or 1,
                    cluster=cluster,
                    force=force,
                    resume=resume,
                    strict=strict,
                    column=column,
                    progress=rows,
                    pool_progress=bar,
                )
        except KeyboardInterrupt as stopped:
            if str(stopped):
                tell_error(str(stopped))
            raise typer.Exit(130) from None
        if report.again:
            bar.tell(f"{target} is finished: an earlier run has done its {report.rows:,} rows")
    for error in report.errors:
        tell_error(error)
    if report.failed:
        tell_error(f"{report.failed:,} of {report.rows:,} rows failed; see the column error")
    if summary:
        text = _told(report.summary, form)
        typer.echo(text, nl=False, err=True) if target == "-" else answer(text)
    if report.failed:
        raise typer.Exit(SOME_FAILED)


def _told(summary: "Summary", form: Literal["table", "json"]) -> str:
    if form == "json":
        return json.dumps(asdict(summary)) + "\n"
    from solver.cli_batch_view import SummaryView

    return rendered(SummaryView(summary))
