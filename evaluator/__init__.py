"""Cards, strengths and settings of Chinese poker; knows no money and no opponents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluator.cards import CardError, Cards, card_text, parse_cards, parse_hand
    from evaluator.ranking import Category, category, row_name, row_strength
    from evaluator.settings import Setting, frontier, legal_settings

__all__ = [
    "CardError",
    "Cards",
    "Category",
    "Setting",
    "card_text",
    "category",
    "frontier",
    "legal_settings",
    "parse_cards",
    "parse_hand",
    "row_name",
    "row_strength",
]

# Loaded on first use: reading cards must not wait for numpy and numba.
_HOME = {
    "cards": ("CardError", "Cards", "card_text", "parse_cards", "parse_hand"),
    "ranking": ("Category", "category", "row_name", "row_strength"),
    "settings": ("Setting", "frontier", "legal_settings"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"evaluator.{module}"), name)
    raise AttributeError(f"module 'evaluator' has no attribute {name!r}")
