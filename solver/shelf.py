"""The shelf of pools that come with the program: which rules have one, and how good it is.

Only numpy is needed to look, so that `capsa rules show` starts at once.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from solver.rules_model import RuleSet, digest

SHELF: Final = Path(__file__).parent / "pools"
DIGESTS: Final = "DIGESTS"  # lines of SHA-256 and file, as sha256sum writes them


def shelf_name(rules: RuleSet) -> str:
    """Return what the file of the pool for a rule set is called."""
    return f"{rules.name}-{digest(rules)}.npz"


def shipped_path(rules: RuleSet) -> Path | None:
    """Return the pool that comes with the program for rules that pay as these do, or None.

    >>> from dataclasses import replace
    >>> from solver.rules import load_rules
    >>> shipped_path(replace(load_rules("2-4"), majority=7)) is None
    True
    """
    return next(SHELF.glob(f"*-{digest(rules)}.npz"), None)


def about_pool(path: Path) -> Mapping[str, Any]:
    """Return what the file of a pool tells about how it was made, its seed and records too."""
    with np.load(path, allow_pickle=False) as file:
        head = json.loads(str(file["head"]))
        return {**head["about"], "seed": head["seed"], "records": len(file["decisions"])}
