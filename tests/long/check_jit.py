"""Solving where nothing can be kept, and with every kernel compiled anew."""

import os
import subprocess
import sys
from pathlib import Path

from test_jit import signatures

PROGRAM = """
from evaluator.jit import CACHE_DIR
from solver import solve
solution = solve("As Ks Qs Js 6s 5s 3s Qh 9h 2h Jd 8c 3c", opponents="random")
print(CACHE_DIR, solution.best.setting)
"""


def test_solve_without_a_cache(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "below")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "XDG_CACHE_HOME": nowhere, "NUMBA_CACHE_DIR": nowhere},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    assert done.stdout == "None As Ks 6s 5s 3s / Qs Qh 9h 8c 3c / Js Jd 2h\n"


def test_kernels_have_one_signature_each(tmp_path: Path) -> None:
    found = signatures(NUMBA_CACHE_DIR=str(tmp_path))
    assert [name for name, types in found.items() if not types] == [], "never called"
    assert {name: types for name, types in found.items() if len(types) > 1} == {}
