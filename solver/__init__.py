"""Rules, opponents and expected values of Chinese poker; `solve` is the front door."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.comparison import Comparison, SettingError, compare
    from solver.deals import deal
    from solver.equilibrium import Exploitability, exploitability, train_pool
    from solver.explanation import Explanation, Parts, explain
    from solver.many import Solutions, solve_many
    from solver.pool import OpponentPool
    from solver.recorded import read_recorded
    from solver.rules import RulesError, RuleSet, load_rules
    from solver.simulation import Simulation, simulate
    from solver.solution import ScoredSetting, Solution
    from solver.solve import solve
    from solver.table import PairScore, PlayedHand, Stake, TableError, TableScore, score_table
    from solver.values import value_many

__all__ = [
    "Comparison",
    "Explanation",
    "Exploitability",
    "OpponentPool",
    "PairScore",
    "Parts",
    "PlayedHand",
    "RuleSet",
    "RulesError",
    "ScoredSetting",
    "SettingError",
    "Simulation",
    "Solution",
    "Solutions",
    "Stake",
    "TableError",
    "TableScore",
    "__version__",
    "compare",
    "deal",
    "explain",
    "exploitability",
    "load_rules",
    "read_recorded",
    "score_table",
    "simulate",
    "solve",
    "solve_many",
    "train_pool",
    "value_many",
]

__version__ = "0.1.0"

# Loaded on first use: `capsa --help` must not wait for numpy and numba.
_HOME = {
    "comparison": ("Comparison", "SettingError", "compare"),
    "deals": ("deal",),
    "equilibrium": ("Exploitability", "exploitability", "train_pool"),
    "explanation": ("Explanation", "Parts", "explain"),
    "many": ("Solutions", "solve_many"),
    "pool": ("OpponentPool",),
    "recorded": ("read_recorded",),
    "rules": ("RuleSet", "RulesError", "load_rules"),
    "simulation": ("Simulation", "simulate"),
    "solution": ("ScoredSetting", "Solution"),
    "solve": ("solve",),
    "table": ("PairScore", "PlayedHand", "Stake", "TableError", "TableScore", "score_table"),
    "values": ("value_many",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"solver.{module}"), name)
    raise AttributeError(f"module 'solver' has no attribute {name!r}")


class _Package(ModuleType):
    """Keeps `solver.solve` the function: importing solver/solve.py would make it the module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "solve" and isinstance(value, ModuleType):
            value = value.solve
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
