"""What the commands have in common: options, the engine's progress, the streams."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from solver.rules import Seat, preset_names

if TYPE_CHECKING:
    from rich.console import RenderableType

    from solver.display import Bar

Form = Literal["table", "json", "csv"]

SOME_FAILED: Final = 3  # exit code
_NARROWEST: Final = 80  # columns: below, rich would cut what stands in tables


def presets() -> list[str]:
    """Complete the name of a preset."""
    return list(preset_names())


Rules = Annotated[
    str,
    typer.Option(
        help="A preset (see capsa rules list) or a file ending in .toml.",
        autocompletion=presets,
    ),
]
Players = Annotated[int, typer.Option(help="Players at the table, you included.")]
SeatOption = Annotated[
    Seat | None,
    typer.Option(
        "--seat",
        help="Yours under rules with a banker, who plays each of the others and wins tied rows.",
        show_default="player",
    ),
]
Opponents = Annotated[
    str,
    typer.Option(
        help="How the others set their hands: equilibrium, greedy, random; or FILE.csv of settings "
        "that real players made; or FILE.npz of capsa train.",
        autocompletion=lambda: ["equilibrium", "greedy", "random"],
    ),
]
Stakes = Annotated[
    str,
    typer.Option(
        metavar="A,B,C",
        help="What a unit is worth against each opponent; values are then in money.",
        show_default="1 each",
    ),
]
ObjectiveOption = Annotated[
    str,
    typer.Option(
        "--objective", help="What the best setting has most of: ev, win-chance or risk:LAMBDA."
    ),
]
RiskOption = Annotated[bool, typer.Option("--risk", help="Tell how the total of a deal spreads.")]
Deals = Annotated[
    int,
    typer.Option(
        min=2,
        help="Deals of all opponents together, for home runs, risk and objective; against one "
        "opponent there are as many as samples.",
    ),
]
HomeRunDeals = Annotated[
    int, typer.Option("--deals", min=2, help="Deals of all opponents together, for home runs.")
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Threads to work with.", show_default="all cores")
]
Samples = Annotated[
    int | None,
    typer.Option(
        help="Opponents to score against, exactly.",
        show_default="10000, or all there are",
    ),
]
Seed = Annotated[int, typer.Option(help="Same seed, same answer.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Take no FILE.csv of opponents with illegal rows.")
]
FormOption = Annotated[Form, typer.Option("--format", help="Form of the answer.")]


@contextmanager
def engine(quiet: bool = False) -> Iterator["Bar"]:
    """Give a bar for the progress of the engine, which also tells when that is being compiled."""
    from rich.console import Console

    from evaluator.jit import CACHE_DIR, when_compiling
    from solver.display import Bar

    with Bar(Console(stderr=True, quiet=quiet)) as bar:
        notice = (
            "compiling what this needs, once on this machine (up to 15 seconds)…"
            if CACHE_DIR
            else "no cache directory can be written, so every start compiles what it needs: set "
            "NUMBA_CACHE_DIR or XDG_CACHE_HOME to a directory that can"
        )
        with when_compiling(partial(bar.tell, notice)):
            yield bar


def rendered(view: "RenderableType") -> str:
    """Return what rich makes of a view for stdout; printing, it would exit at a closed pipe."""
    from rich.console import Console

    console = Console()
    console.width = max(console.width, _NARROWEST)  # a narrower terminal breaks the lines itself
    with console.capture() as capture:
        console.print(view, crop=False)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def answer(text: str) -> None:
    """Write to stdout at once: the other end of a pipe may wait for this hand."""
    print(text, end="", flush=True)


def tell_error(message: str) -> None:
    """Write what went wrong to stderr."""
    for line in message.splitlines():
        typer.echo(f"error: {line}", err=True)
