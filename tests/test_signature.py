"""The answers to a fixed list of hands are those that the last commit to change them stated."""

import subprocess
import sys
from pathlib import Path

import pytest

STATED = Path(__file__).with_name("signature.txt")
SCRIPT = Path(__file__).parents[1] / "scripts" / "signature.py"


@pytest.mark.parametrize("threads", ["1", "2"])
def test_answers_are_as_stated_whatever_the_threads(threads: str) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--threads", threads], capture_output=True, encoding="utf-8"
    )
    assert done.stderr == ""
    assert done.stdout == STATED.read_text(), "if meant: sh scripts/signature > tests/signature.txt"
