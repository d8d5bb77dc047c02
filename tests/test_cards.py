import json
import pickle
import random
import subprocess
import sys
import unicodedata
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import evaluator.cards
from evaluator.cards import (
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    CardError,
    Cards,
    card_text,
    parse_cards,
    parse_hand,
)

HAND = "As Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h"
TWELVE = "Ks Qs Qh Js Jd 9h 8c 6s 5s 3s 3c 2h "
ALL_CARDS = [rank + suit for rank in RANKS for suit in SUITS]
SEPARATORS = ["", " ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", ",", ", ", ";", "|", " / "]
WHITE_SYMBOLS = "♧♢♡♤"

hands = st.lists(st.integers(0, 51), min_size=13, max_size=13, unique=True)
card_like = st.text(
    st.sampled_from("AKQJTakqjt9821005cdhsCDHS♣♦♥♠♤\ufe0f ,;|/xOolI\n\x00\u041a\u0421")
)


def error_of(parse: Callable[..., Cards], source: object) -> str:
    with pytest.raises(CardError) as caught:
        parse(source)
    return str(caught.value)


def test_card_numbers_and_texts() -> None:
    assert [card_text(card) for card in range(52)] == ALL_CARDS
    assert [parse_cards(text) for text in ALL_CARDS] == [Cards([card]) for card in range(52)]
    assert (RANKS[0], RANKS[12], SUIT_SYMBOLS[SUITS.index("h")]) == ("2", "A", "♥")


@pytest.mark.parametrize(
    "text",
    [
        "As Kd Th 9c",
        "AS KD TH 9C",
        "as kd th 9c",
        "aS Kd 10h 9c",
        "AsKd10h9c",
        "asKDth9C",
        "A♠K♦T♥9♣",
        "A♠\ufe0fK♦\ufe0f10♥\ufe0f9♣\ufe0f",
        "A♠\ufe0e K♦\ufe0e T♥\ufe0e 9♣\ufe0e",
        "a♤ k♢ 10♡ 9♧",
        "A♤\ufe0fK♢\ufe0eT♡9♧",
        "As,Kd;Th|9c",
        " /As / Kd,, Th;9c;\n",
        "As\tKd\u00a0Th\u30009c",
        "9c Th Kd As",
    ],
)
def test_notations(text: str) -> None:
    assert str(parse_cards(text)) == "As Kd Th 9c"


def test_every_white_space_separates() -> None:
    for character in filter(str.isspace, map(chr, range(sys.maxunicode + 1))):
        assert str(parse_cards(f"As{character}Kd")) == "As Kd"


@given(hands, st.randoms(use_true_random=False))
def test_round_trip_in_random_notation(hand: list[int], rng: random.Random) -> None:
    text = rng.choice(SEPARATORS)
    for card in hand:
        rank = RANKS[card // 4]
        rank = rng.choice([rank, rank.lower(), "10" if rank == "T" else rank])
        symbol = rng.choice([SUIT_SYMBOLS, WHITE_SYMBOLS])[card % 4]
        letter = rng.choice([SUITS, SUITS.upper()])[card % 4]
        suit = rng.choice([letter, symbol, symbol + "\ufe0e", symbol + "\ufe0f"])
        text += rank + suit + rng.choice(SEPARATORS)
    cards = parse_hand(text)
    assert cards == tuple(sorted(hand, reverse=True))
    assert parse_hand(str(cards)) == parse_hand(hand) == parse_hand(cards) == cards


@given(st.sets(st.integers(0, 51)))
def test_masks(numbers: set[int]) -> None:
    cards = Cards(numbers)
    assert [card for card in range(52) if cards.mask >> card & 1] == sorted(numbers)
    assert Cards.from_mask(cards.mask) == cards
    assert type(Cards.from_mask(cards.mask)) is Cards


@pytest.mark.parametrize(("mask", "shown"), [(-1, "-0x1"), (1 << 52, "0x10000000000000")])
def test_mask_with_other_bits(mask: int, shown: str) -> None:
    expected = f"not a set of cards: mask {shown} has bits outside 0 to 51"
    assert error_of(Cards.from_mask, mask) == expected


def test_cards_is_an_immutable_tuple_high_to_low() -> None:
    cards = Cards(iter([45, 51, 33]))
    assert cards == (51, 45, 33)
    assert hash(cards) == hash((51, 45, 33))
    assert (str(cards), repr(cards)) == ("As Kd Td", "Cards('As Kd Td')")
    assert repr(Cards()) == "Cards('')"
    assert not hasattr(cards, "__dict__")
    assert type(pickle.loads(pickle.dumps(cards))) is Cards
    assert pickle.loads(pickle.dumps(cards)) == cards


def test_numbers_out_of_an_array_become_plain() -> None:
    numbers = np.arange(13, dtype=np.int8)
    assert parse_hand(numbers) == Cards(numbers) == Cards(range(13))
    assert Cards(numbers).mask == Cards.from_mask(np.array([2**13 - 1])[0]).mask == 2**13 - 1
    assert json.dumps(parse_hand(numbers)[:2]) == "[12, 11]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no cards given; a hand has 13"),
        (" ,;|/\n", "no cards given; a hand has 13"),
        ("As", "not a hand: 1 card, a hand has 13"),
        (TWELVE, "not a hand: 12 cards, a hand has 13"),
        (HAND + "4c", "not a hand: 14 cards, a hand has 13"),
        (HAND + "As", "not a hand: As twice; 14 cards, a hand has 13"),
        (TWELVE + "2H", "not a hand: 2h twice"),
        (TWELVE + "2h 2♥ ks", "not a hand: Ks twice; 2h 3 times; 15 cards, a hand has 13"),
        (HAND + " Xy", "not a hand: unknown 'Xy' at 40"),
        (
            TWELVE + "Xy",
            "not a hand: unknown 'Xy' at 37; 12 readable cards, a hand has 13",
        ),
        (
            "As Ks Xy As Qs\nZ9;4",
            "not a hand: unknown 'Xy' at 7, 'Z9' at 16, '4' at 19; As twice; "
            "4 readable cards, a hand has 13",
        ),
        ("hm", "not a hand: unknown 'hm' at 1; no readable cards, a hand has 13"),
    ],
)
def test_hand_errors(text: str, message: str) -> None:
    assert error_of(parse_hand, text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no cards given"),
        ("AsAs", "not a set of cards: As twice"),
        # One typo, one complaint; reading goes on at the next card.
        ("AsKxTh9c", "not a set of cards: unknown 'Kx' at 3"),
        ("AsKTh", "not a set of cards: unknown 'K' at 3"),
        ("Assd Kd", "not a set of cards: unknown 'sd' at 3"),
        ("A s", "not a set of cards: unknown 'A' at 1, 's' at 3"),
        ("10", "not a set of cards: unknown '10' at 1"),
        ("110h", "not a set of cards: unknown '1' at 1"),
        ("As.Kd", "not a set of cards: unknown '.' at 3"),
        # Garbage is escaped and shortened.
        ("As\x00\x1b[1mKd", r"not a set of cards: unknown '\x00\x1b[1m' at 3"),
        ("\u202e\udc80\u200b", r"not a set of cards: unknown '\u202e\udc80\u200b' at 1"),
        ("z" * 10_000, "not a set of cards: unknown 'zzzzzzzzzzzzzzz…' at 1"),
        (
            "z " * 15,
            "not a set of cards: unknown 'z' at 1, 'z' at 3, 'z' at 5, 'z' at 7, 'z' at 9, "
            "'z' at 11, 'z' at 13, 'z' at 15, 'z' at 17, 'z' at 19, 'z' at 21, 'z' at 23, "
            "'z' at 25 and 2 more",
        ),
        # Tens.
        ("1h", "not a set of cards: unknown '1h' at 1; a ten is T or 10"),
        ("0♥", "not a set of cards: unknown '0♥' at 1; a ten is T or 10"),
        (
            "As1OhKd",
            "not a set of cards: unknown '1Oh' at 3; "
            "'O' is U+004F LATIN CAPITAL LETTER O, not 0; a ten is T or 10",
        ),
        (
            "l0c",
            "not a set of cards: unknown 'l0c' at 1; "
            "'l' is U+006C LATIN SMALL LETTER L, not 1; a ten is T or 10",
        ),
        (
            "1\u041eh 1\u03bfd",
            "not a set of cards: unknown '1\u041eh' at 1, '1\u03bfd' at 5; "
            "'\u041e' is U+041E CYRILLIC CAPITAL LETTER O, not 0, "
            "'\u03bf' is U+03BF GREEK SMALL LETTER OMICRON, not 0; a ten is T or 10",
        ),
        ("\u043ed\u043d\u043e", "not a set of cards: unknown '\u043ed\u043d\u043e' at 1"),
        # Look-alikes: each is explained once.
        (
            "As \u041as \u041ad",
            "not a set of cards: unknown '\u041as' at 4, '\u041ad' at 7; "
            "'\u041a' is U+041A CYRILLIC CAPITAL LETTER KA, not K",
        ),
        (
            "A\u0455Kd",
            "not a set of cards: unknown 'A\u0455' at 1; "
            "'\u0455' is U+0455 CYRILLIC SMALL LETTER DZE, not s",
        ),
        (
            "\u0391\u0441,\u212ad",
            "not a set of cards: unknown '\u0391\u0441' at 1, '\u212ad' at 4; "
            "'\u0391' is U+0391 GREEK CAPITAL LETTER ALPHA, not A, "
            "'\u0441' is U+0441 CYRILLIC SMALL LETTER ES, not c, "
            "'\u212a' is U+212A KELVIN SIGN, not K",
        ),
        (
            "As\uff0cK\uff44",
            "not a set of cards: unknown '\uff0cK\uff44' at 3; "
            "'\uff0c' is U+FF0C FULLWIDTH COMMA, not ,, "
            "'\uff44' is U+FF44 FULLWIDTH LATIN SMALL LETTER D, not d",
        ),
        (
            "A\u2764",
            "not a set of cards: unknown 'A\u2764' at 1; "
            "'\u2764' is U+2764 HEAVY BLACK HEART, not ♥",
        ),
    ],
)
def test_text_errors(text: str, message: str) -> None:
    assert error_of(parse_cards, text) == message


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "no cards given; a hand has 13"),
        (range(12), "not a hand: 12 cards, a hand has 13"),
        ([51, *range(12), 51], "not a hand: As twice; 14 cards, a hand has 13"),
        (
            [True, 52, -1, 2.0, None, "As", np.True_, *range(12)],
            "not a hand: unknown True at 1, 52 at 2, -1 at 3, 2.0 at 4, None at 5, 'As' at 6, "
            "np.True_ at 7; card numbers are 0 to 51; 12 readable cards, a hand has 13",
        ),
        (
            np.zeros((1, 99), dtype=np.int64),
            "not a hand: unknown array([0, 0, 0,… at 1; card numbers are 0 to 51; "
            "no readable cards, a hand has 13",
        ),
    ],
)
def test_number_errors(items: object, message: str) -> None:
    assert error_of(parse_hand, items) == message


def test_any_character_next_to_a_card_is_read_or_named() -> None:
    """Whole planes 0 and 1: each look-alike has a name and no message breaks a line."""
    for character in map(chr, range(0x20000)):
        try:
            parse_cards("As" + character)
        except CardError as error:
            message = str(error)
            assert message.isprintable()
            if f"is U+{ord(character):04X} " in message:
                assert unicodedata.name(character) in message


@given(st.text() | card_like)
@example("\ud800\r\x85\u2028")
def test_any_text_parses_or_gives_the_one_error(text: str) -> None:
    for parse in (parse_cards, parse_hand):
        try:
            cards = parse(text)
        except CardError as error:
            message = str(error)
            assert message.isprintable()
            assert len(message.splitlines()) == 1
        else:
            assert parse(str(cards)) == cards
            assert len(set(cards)) == len(cards) > 0
            assert parse is parse_cards or len(cards) == 13


@given(hands, st.integers(0, 12), st.sampled_from(["Xy", "A", "1h", "0", "??", "hm", "\u041as"]))
def test_one_typo_gives_one_complaint(hand: list[int], place: int, typo: str) -> None:
    tokens = [card_text(card) for card in hand]
    tokens[place] = typo
    for separator in (" ", ","):
        message = error_of(parse_hand, separator.join(tokens))
        position = len(separator.join(tokens[:place])) + 1 + (place > 0)
        assert message.startswith(f"not a hand: unknown '{typo}' at {position}; ")
        assert message.count(" at ") == 1
        assert message.endswith("; 12 readable cards, a hand has 13")


def test_reading_cards_imports_no_heavy_module() -> None:
    script = (
        "import runpy, sys; runpy.run_path(sys.argv[1]);"
        "print({'numpy', 'numba'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, evaluator.cards.__file__],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "set()\n"
