"""Notebooks: run whole, told in numbers that still hold, and made from the sources beside them."""

import re
import runpy
from pathlib import Path

import make_notebooks
import nbformat
import pytest
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
SOURCES = make_notebooks.sources()
# Names of rules and cards, and how something is measured: figures that no cell can find out.
NOT_MEASURED = {"2-4", "1-6", "13", "95", "1.96", "10,000", "2015", "2-3-4-5", "8"}

all_notebooks = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)


def kept(source: Path) -> NotebookNode:
    return nbformat.read(make_notebooks.target_of(source), 4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def words(notebook: NotebookNode) -> list[str]:
    """What code cells say in sentences."""
    outputs = (output for cell in code_cells(notebook) for output in cell.outputs)
    data = (output.get("data", {}) for output in outputs)
    return [each["text/markdown"] for each in data if "text/markdown" in each]


def test_every_notebook_has_its_source() -> None:
    made = {make_notebooks.target_of(source) for source in SOURCES}
    assert made == set((ROOT / "notebooks").glob("*.ipynb"))
    assert len(made) == 5


@all_notebooks
def test_what_is_kept_is_of_the_source_and_was_run(source: Path) -> None:
    notebook, plain = kept(source), make_notebooks.converted(source)
    nbformat.validate(notebook)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in plain.cells]
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    assert make_notebooks.target_of(source).stat().st_size < 2_000_000
    assert words(notebook)


@all_notebooks
def test_it_runs_and_says_what_it_said(source: Path) -> None:
    notebook = make_notebooks.converted(source)
    make_notebooks.execute(notebook)
    told = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert not [output for output in told if output.output_type == "stream"], "no warnings"
    assert words(notebook) == words(kept(source)), "run scripts/make_notebooks"


@all_notebooks
def test_text_between_cells_states_no_results(source: Path) -> None:
    for cell in make_notebooks.converted(source).cells:
        if cell.cell_type == "markdown":
            figures = set(re.findall(r"\d[\d.,-]*\d|\d", cell.source))
            assert figures <= NOT_MEASURED, cell.source


def test_recorded_settings_come_from_their_script(tmp_path: Path) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "02_recorded_settings.py"))
    script["main"](tmp_path / "again.csv")
    again = (tmp_path / "again.csv").read_bytes()
    assert again == (ROOT / "notebooks" / "recorded.csv").read_bytes()
