"""Which module may import what: the direction of the arrows, and what must stay cheap to start."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import solver

ROOT = Path(__file__).parents[1]
MODULES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_bytes())
    for package in ("evaluator", "solver")
    for path in (ROOT / package).rglob("*.py")
}
NAMES = sorted(MODULES)


def imported(name: str) -> set[str]:
    """Top-level packages a module imports, at its head or inside its functions."""
    packages = set()
    for node in ast.walk(MODULES[name]):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: imports are absolute here"
            packages.add(str(node.module).split(".")[0])
    return packages


def defines_kernels(name: str) -> bool:
    return any(
        isinstance(decorator, ast.Name) and decorator.id == "kernel"
        for node in ast.walk(MODULES[name])
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    )


def is_command_line(name: str) -> bool:
    return name.startswith("solver/cli") or name == "solver/display.py"


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("evaluator/")])
def test_evaluator_does_not_know_solver(name: str) -> None:
    assert "solver" not in imported(name)


@pytest.mark.parametrize("name", [name for name in NAMES if defines_kernels(name)])
def test_modules_of_kernels_do_no_io_and_start_no_threads(name: str) -> None:
    assert not imported(name) & {"csv", "joblib", "rich", "typer"}


def test_kernels_are_found() -> None:
    assert defines_kernels("evaluator/kernels.py")


@pytest.mark.parametrize("name", [name for name in NAMES if not is_command_line(name)])
def test_only_the_command_line_knows_typer_and_rich(name: str) -> None:
    assert not imported(name) & {"rich", "typer"}


def test_only_jit_knows_numba() -> None:
    assert [name for name in NAMES if "numba" in imported(name)] == ["evaluator/jit.py"]


@pytest.mark.parametrize(
    ("arguments", "environment", "answer"),
    [
        (["--help"], {}, "solve"),
        (["solve", "--help"], {}, "--rules"),
        (["--version"], {}, solver.__version__),
        (
            [],
            {"_CAPSA_COMPLETE": "complete_bash", "COMP_WORDS": "capsa so", "COMP_CWORD": "1"},
            "solve",
        ),
    ],
    ids=["help", "help of a command", "version", "completion"],
)
def test_help_and_completion_do_not_wait_for_numba(
    arguments: list[str], environment: dict[str, str], answer: str
) -> None:
    program = (
        "import sys\n"
        "from solver.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    sys.stderr.write(' '.join(sys.modules.keys() & {'numba'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert answer in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("first", ["solver", "solver.solve"])
def test_solve_is_the_function_whatever_is_imported_first(first: str) -> None:
    program = f"import {first}; from solver import solve; print(type(solve).__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8")
    assert (done.stdout, done.stderr) == ("function\n", "")
