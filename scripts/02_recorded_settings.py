"""Make notebooks/recorded.csv: settings of invented players, for `05_your_opponents`.

Ann counts points, Ben makes the back as strong as he can, and Cem likes a pair in front; they take
turns at deals that follow from a seed, so the file is always the same.
"""

import csv
from pathlib import Path

from evaluator import Cards
from solver import deal
from solver.many import CARD_ROWS
from solver.strategies import most_points, pair_in_front, settings_by, strongest_back

ROWS = 6000
SEED = 0xCA2D
PLAYERS = {"Ann": most_points, "Ben": strongest_back, "Cem": pair_in_front}
FILE = Path(__file__).parents[1] / "notebooks" / "recorded.csv"


def main(target: Path = FILE) -> None:
    settings = settings_by(list(PLAYERS.values()), deal(ROWS, SEED)).tolist()
    with target.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["player", "back", "middle", "front"])
        for number, choices in enumerate(settings):
            turn = number % len(PLAYERS)
            rows = (str(Cards(choices[turn][row])) for row in CARD_ROWS)
            lines.writerow([list(PLAYERS)[turn], *rows])


if __name__ == "__main__":
    main()
