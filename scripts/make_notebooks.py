"""Turn notebooks/src/*.py into notebooks that keep their outputs; `scripts/make_notebooks` runs it.

The sources are plain Python, with cells as jupytext's percent format marks them, so that changes
read well. The same sources, pools and libraries give the same bytes: there are no times in the
notebooks, cells are numbered, and pictures do not tell what drew them.
"""

import os
import sys
import time
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
FIGURES = {"bbox_inches": "tight", "metadata": {"Software": None}}
TIMEOUT = 600  # seconds a cell may take; the first run ever compiles


def sources() -> list[Path]:
    return sorted((NOTEBOOKS / "src").glob("*.py"))


def target_of(source: Path) -> Path:
    return NOTEBOOKS / f"{source.stem}.ipynb"


def converted(source: Path) -> NotebookNode:
    """Return the notebook of a source, without outputs."""
    notebook = jupytext.read(source)
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
    return notebook


def execute(notebook: NotebookNode) -> None:
    """Run all cells in the notebooks' directory and keep their outputs; raise at an error."""
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=[f"--InlineBackend.print_figure_kwargs={FIGURES}"],
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    backend = "module://matplotlib_inline.backend_inline"
    client.execute(env={**os.environ, "MPLBACKEND": backend})
    notebook.metadata = nbformat.from_dict(METADATA)  # nbclient adds the version of Python
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if "text/html" in output.get("data", {}):
            output.data.pop("text/plain", None)  # a solution's tells the seconds it took


def main(names: list[str]) -> None:
    for source in sources():
        if names and source.stem not in names:
            continue
        start = time.perf_counter()
        notebook = converted(source)
        execute(notebook)
        target = target_of(source)
        nbformat.write(notebook, target)
        seconds = time.perf_counter() - start
        print(f"{target.name}: {target.stat().st_size:,} bytes, {seconds:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
