"""Cards in and out: parse, format, masks.

A card is the integer `4 * rank + suit`: deuce = 0 ... ace = 12, suits c d h s = 0 1 2 3.
A mask is a set of cards as an integer with bit `card` set.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from numbers import Integral
from typing import Self

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"
HAND_SIZE = 13
DECK_SIZE = 52

_WHITE_SYMBOLS = "♧♢♡♤"
_RANK_OF = {text: rank for ranks in (RANKS, RANKS.lower()) for rank, text in enumerate(ranks)}
_RANK_OF["10"] = RANKS.index("T")
_SUIT_OF = {
    text: suit
    for suits in (SUITS, SUITS.upper(), SUIT_SYMBOLS, _WHITE_SYMBOLS)
    for suit, text in enumerate(suits)
}

# Cases are spelled out: with re.IGNORECASE, "k" would match U+212A and "s" U+017F as well.
_RANK = f"10|[{RANKS}{RANKS.lower()}]"
_SUIT = f"[{''.join(_SUIT_OF)}]"
_SEPARATOR = r"[\s,;|/]"
# Variation selectors only say whether a suit symbol is drawn as text (FE0E) or as emoji (FE0F).
# A search for this skips the separators; what cannot be read runs up to one or to the next card.
_TOKEN = re.compile(
    rf"(?P<rank>{_RANK})(?P<suit>{_SUIT})[\uFE0E\uFE0F]*"
    rf"|(?P<unknown>(?:(?!{_SEPARATOR}|(?:{_RANK}){_SUIT}).)+)",
    re.DOTALL,
)

_SHOWN_CHARACTERS = 16
_SHOWN_ITEMS = 13

# Look-alikes that compatibility normalisation does not find (it finds full-width letters and such),
# escaped because the eye cannot tell them apart: Cyrillic, then Greek, then the emoji heart.
_LOOK_ALIKES = dict(
    zip(
        "\u0410\u041a\u0422\u0408\u051a\u0421\u041d\u0405"
        "\u0430\u043a\u0442\u0458\u051b\u0441\u04bb\u0501\u0455"
        "\u0417\u0431"
        "\u0391\u039a\u03a4\u037f\u03f9\u0397\u03b1\u03ba\u03c4\u03f3\u03f2"
        "\u2764",
        "AKTJQCHS" + "aktjqchds" + "36" + "AKTJCHaktjc" + "♥",
        strict=True,
    )
)
# Innocent in any other unknown token ("hello"), so looked for only in a token shaped like a ten:
# the letter O, Latin, Cyrillic and Greek, and those that look like 1.
_LETTERS_O = "Oo\u041e\u043e\u039f\u03bf"
_TEN_LOOK_ALIKES = {**dict.fromkeys(_LETTERS_O, "0"), "I": "1", "l": "1"}
_TEN_TYPO = re.compile(f"(?:[1Il][0{_LETTERS_O}]?|[0{_LETTERS_O}]){_SUIT}")
_READABLE = {*"".join(_RANK_OF), *_SUIT_OF, *",;|/"}


class CardError(ValueError):
    """Cards that cannot be read; the message is one line that lists everything wrong with them."""


class Cards(tuple[int, ...]):
    """Different cards, kept from the highest to the lowest; unlike `parse_cards` it checks nothing.

    Parameters
    ----------
    cards : iterable of int
        Card numbers 0..51, no two the same, in any order.

    Examples
    --------
    >>> Cards([33, 51, 45])
    Cards('As Kd Td')
    """

    __slots__ = ()

    def __new__(cls, cards: Iterable[int] = ()) -> Self:  # noqa: D102 - see the class
        # int(): what comes out of an array becomes a plain number, for JSON and for shifts.
        return super().__new__(cls, sorted(map(int, cards), reverse=True))

    @classmethod
    def from_mask(cls, mask: int) -> Self:
        """Return the cards whose bits are set in `mask`.

        Parameters
        ----------
        mask : int
            Bit `card` set for each card, bits 0..51.

        Returns
        -------
        Cards

        Raises
        ------
        CardError
            If a bit outside 0..51 is set.

        Examples
        --------
        >>> Cards.from_mask(1 << 51 | 1 << 0)
        Cards('As 2c')
        """
        if not 0 <= mask < 1 << DECK_SIZE:
            raise CardError(f"not a set of cards: mask {int(mask):#x} has bits outside 0 to 51")
        rest = int(mask)
        cards = []
        while rest:
            cards.append(rest.bit_length() - 1)
            rest ^= 1 << cards[-1]
        return cls(cards)

    @property
    def mask(self) -> int:
        """The cards as an integer with bit `card` set."""
        return sum(1 << card for card in self)

    def __str__(self) -> str:
        return " ".join(map(card_text, self))

    def __repr__(self) -> str:
        return f"Cards('{self}')"


def card_text(card: int) -> str:
    """Return the canonical text of a card.

    Parameters
    ----------
    card : int
        Card number 0..51.

    Returns
    -------
    str
        Rank, then suit.

    Examples
    --------
    >>> card_text(51)
    'As'
    """
    return RANKS[card // 4] + SUITS[card % 4]


def parse_cards(cards: str | Iterable[int]) -> Cards:
    """Read one card or more, all different.

    Parameters
    ----------
    cards : str or iterable of int
        Text such as `"As Kd Th"`, or card numbers 0..51. Also read: `10h`, lower case, suit
        symbols; between cards white space, comma, semicolon, `|`, `/` or nothing.

    Returns
    -------
    Cards

    Raises
    ------
    CardError
        If anything cannot be read, is there twice, or if there is no card.

    Examples
    --------
    >>> parse_cards("kd, 10♥/AS")
    Cards('As Kd Th')
    """
    return _parse(cards, size=None)


def parse_hand(hand: str | Iterable[int]) -> Cards:
    """Read the 13 cards of a hand.

    Parameters
    ----------
    hand : str or iterable of int
        As for `parse_cards`.

    Returns
    -------
    Cards
        13 cards.

    Raises
    ------
    CardError
        If anything cannot be read, is there twice, or if there are not 13 cards.

    Examples
    --------
    >>> parse_hand("AsKsQsJs6s5s3s Qh9h2h Jd 8c3c")
    Cards('As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h')
    """
    return _parse(hand, size=HAND_SIZE)


def _parse(source: str | Iterable[int], size: int | None) -> Cards:
    cards, problems = _read_text(source) if isinstance(source, str) else _read_numbers(source)
    if not cards and not problems:
        raise CardError("no cards given" + (f"; a hand has {size}" if size else ""))
    readable = "readable " if problems else ""
    problems += [
        f"{card_text(card)} {'twice' if times == 2 else f'{times} times'}"
        for card, times in sorted(Counter(cards).items(), reverse=True)
        if times > 1
    ]
    if size and len(cards) != size:
        noun = "card" if len(cards) == 1 else "cards"
        problems.append(f"{len(cards) or 'no'} {readable}{noun}, a hand has {size}")
    if problems:
        raise CardError(f"not {'a hand' if size else 'a set of cards'}: {'; '.join(problems)}")
    return Cards(cards)


def _read_text(text: str) -> tuple[list[int], list[str]]:
    """Return the cards found in `text` and what is wrong with the rest of it."""
    cards = []
    unknown = []
    look_alikes: dict[str, str] = {}
    mistyped_ten = False
    for match in _TOKEN.finditer(text):
        token = match["unknown"]
        if token is None:
            cards.append(4 * _RANK_OF[match["rank"]] + _SUIT_OF[match["suit"]])
            continue
        unknown.append(f"{_shown(token)} at {match.start() + 1}")
        look_alikes |= _look_alikes_in(token)
        if _TEN_TYPO.fullmatch(token):
            look_alikes |= {c: _TEN_LOOK_ALIKES[c] for c in token if c in _TEN_LOOK_ALIKES}
            mistyped_ten = True
    problems = []
    if unknown:
        problems.append(f"unknown {_listed(unknown)}")
    if look_alikes:
        problems.append(
            _listed(
                f"'{c}' is U+{ord(c):04X} {unicodedata.name(c)}, not {meant}"
                for c, meant in look_alikes.items()
            )
        )
    if mistyped_ten:
        problems.append("a ten is T or 10")
    return cards, problems


def _look_alikes_in(token: str) -> dict[str, str]:
    """Return the characters of `token` that look like a readable one, and that one."""
    meant = {c: _LOOK_ALIKES.get(c) or unicodedata.normalize("NFKC", c) for c in token}
    return {c: plain for c, plain in meant.items() if c != plain and plain in _READABLE}


def _read_numbers(items: Iterable[object]) -> tuple[list[int], list[str]]:
    """Return the card numbers among `items` and what is wrong with the other items."""
    cards = []
    unknown = []
    for position, item in enumerate(items, start=1):
        # Integral, since the cards may come out of a numpy array; True is no card.
        number = int(item) if isinstance(item, Integral) and not isinstance(item, bool) else -1
        if 0 <= number < DECK_SIZE:
            cards.append(number)
        else:
            unknown.append(f"{_shown(item)} at {position}")
    problems = [f"unknown {_listed(unknown)}; card numbers are 0 to 51"] if unknown else []
    return cards, problems


def _shown(item: object) -> str:
    """Return `item` quoted for a message: short, printable, on one line."""
    if isinstance(item, str):  # shortened first, so that no escape is cut in two
        return repr(_shortened(item))
    return _shortened(" ".join(repr(item).split()))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _listed(items: Iterable[str]) -> str:
    items = list(items)
    more = len(items) - _SHOWN_ITEMS
    return ", ".join(items[:_SHOWN_ITEMS]) + (f" and {more} more" if more > 0 else "")
