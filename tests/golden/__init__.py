"""Golden games: for each option a whole game told in words, opening with the clause it shows.

The texts stand beside this file. ``python -m tests.golden`` (or ``make golden``) writes them anew;
read the difference before it is committed: each of them was checked by hand against RULES.md.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.replay import in_words, replay
from sim.rulebook import clause_of, line
from sim.rules import Rules
from sim.settings import Settings, apply
from sim.strategy import Player, Strategy, catalogue
from tests.games import anything, behaving, hoarder, passive, taker

FOLDER = Path(__file__).parent
SEED = 1960
WIDTH = 100

greedy = catalogue()["greedy"]


@dataclass(frozen=True)
class Golden:
    """A game that shows a clause.

    Attributes:
        name: of its file.
        shows: the option, or a number of RULES.md and a sentence.
        settings: the rules, by dotted key.
        players: a strategy for each seat, or a player with rates of conduct.
        deal: the address, with `SEED`.
        otherwise: what else the option could be, to see that it acts; nothing: it shows conduct,
            and the same strategies with perfect conduct play another game.
    """

    name: str
    shows: str | tuple[str, str]
    settings: Settings
    players: tuple[Strategy | Player, ...]
    deal: int
    otherwise: Settings = field(default_factory=dict)

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return apply(Rules(), self.settings)

    @property
    def path(self) -> Path:
        """Where its text stands."""
        return FOLDER / f"{self.name}.txt"

    def clause(self) -> tuple[str, str]:
        """Return the number and the sentence of the clause that it shows."""
        if isinstance(self.shows, tuple):
            return self.shows
        told = line(clause_of(self.shows), self.rules, [len(self.players)])
        return told.number, told.text

    @property
    def seating(self) -> list[Player]:
        """The player of each seat."""
        return [one if isinstance(one, Player) else Player(one) for one in self.players]

    def told(self) -> list[str]:
        """Return the game in words."""
        return self._told(self.rules, self.seating)

    def told_otherwise(self) -> list[str]:
        """Return the game without what it shows."""
        if self.otherwise:
            return self._told(apply(self.rules, self.otherwise), self.seating)
        return self._told(self.rules, [Player(one.strategy) for one in self.seating])

    def _told(self, rules: Rules, seating: list[Player]) -> list[str]:
        return [in_words(one) for one in replay(rules, seating, SEED, self.deal)]

    def text(self) -> str:
        """Return the whole file."""
        number, sentence = self.clause()
        rules = ", ".join(f"{key}={_word(value)}" for key, value in self.settings.items())
        head = [
            *textwrap.wrap(f"RULES.md {number}: {sentence}", WIDTH),
            "",
            f"Rules     {rules}",
            f"Seed      {SEED}, deal {self.deal}",
            *(f"Seat {s}    {one}: {one.strategy.says}" for s, one in enumerate(self.seating)),
        ]
        return "\n".join([*head, *self.told()]) + "\n"


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


ONE_ROUND = {"end.rounds": 1}
JOKER_4 = "A joker captures everything on the table."
JOKER_5 = "A joker on the table goes along with the next capture, whatever the card."
EMPTY_TABLE = "On a table with nothing at all a joker can only trail."
WHOLE_TURN = "No rank is captured twice in a turn, not even in two groups."
AT_THE_REST = "A target in cards is checked again when the rest has been given away."
UNFINISHED = "After max_rounds without a winner most points win, and the game is unfinished."
ESUN_1 = "A player who holds a card that could capture them all may join loose cards into a pile."
ESUN_4 = "Anybody may capture a pile, with any card that could capture all its cards together."
ESUN_5 = "Under Yoruba rules a pile's cards differ from each other and from the capturing card."
SLIP = "A capture may take a loose card too many; if nobody notices, it stands."
SPYING = "Under Isiwo nobody needs to peek, but to be noticed spying costs points all the same."

GAMES: tuple[Golden, ...] = (
    Golden(
        "jokers_played",
        ("4.4", JOKER_4),
        {"jokers": 2, "end.first_to": 10},
        (greedy, greedy),
        15,
        {"jokers": 0},
    ),
    Golden(
        "jokers_lying",
        ("4.5", JOKER_5),
        {"jokers": 2, "end.first_to": 10},
        (anything, greedy),
        311,
        {"jokers": 0},
    ),
    Golden(
        "jokers_empty_table",
        ("4.4", EMPTY_TABLE),
        {"jokers": 2, "end.first_to": 8},
        (anything, anything),
        589,
        {"jokers": 0},
    ),
    Golden(
        "yoruba",
        "yoruba",
        {"yoruba": True, "end.first_to": 10},
        (greedy, greedy),
        489,
        {"yoruba": False},
    ),
    Golden(
        "yoruba_whole_turn",
        ("5.1", WHOLE_TURN),
        {"yoruba": True, "end.first_to": 8},
        (greedy, greedy),
        99,
        {"yoruba": False},
    ),
    Golden(
        "yoruba_faces_strict",
        "yoruba_faces",
        {"yoruba": True, "end.first_to": 8},
        (greedy, greedy),
        327,
        {"yoruba_faces": "pair"},
    ),
    Golden(
        "yoruba_faces_pair",
        "yoruba_faces",
        {"yoruba": True, "yoruba_faces": "pair", "end.first_to": 8},
        (greedy, greedy),
        327,
        {"yoruba_faces": "strict"},
    ),
    Golden(
        "yoruba_joker_distinct",
        "yoruba_joker",
        {"jokers": 2, "yoruba": True, "yoruba_joker": "distinct", "end.first_to": 10},
        (greedy, greedy),
        565,
        {"yoruba_joker": "exempt"},
    ),
    Golden(
        "must_capture_any",
        "must_capture",
        {"must_capture": "any", "end.first_to": 10},
        (passive, passive),
        158,
        {"must_capture": "most"},
    ),
    Golden(
        "must_capture_most",
        "must_capture",
        {"must_capture": "most", "end.first_to": 10},
        (anything, passive),
        158,
        {"must_capture": "any"},
    ),
    Golden(
        "leftover_table",
        "leftover",
        {"leftover": "table", **ONE_ROUND},
        (greedy,) * 5,
        105,
        {"leftover": "unused"},
    ),
    Golden(
        "single_deal",
        "single_deal",
        {"single_deal": True, **ONE_ROUND},
        (greedy,) * 5,
        203,
        {"single_deal": False},
    ),
    Golden(
        "rest_last_to_play",
        "rest",
        {"rest": "last_to_play", **ONE_ROUND},
        (greedy,) * 3,
        263,
        {"rest": "last_to_capture"},
    ),
    Golden(
        "rest_last_to_capture",
        "rest",
        {"rest": "last_to_capture", **ONE_ROUND},
        (greedy,) * 4,
        142,
        {"rest": "last_to_play"},
    ),
    Golden(
        "first_to_cards",
        "end",
        {"end.first_to": 8},
        (greedy,) * 3,
        19,
        {"end.first_to": 7},
    ),
    Golden(
        "first_to_cards_with_the_rest",
        ("7.2", AT_THE_REST),
        {"rest": "last_to_play", "end.first_to": 12},
        (greedy,) * 5,
        3,
        {"rest": "nobody"},
    ),
    Golden(
        "first_to_rounds",
        "end",
        {"end.first_to": 1, "end.unit": "rounds"},
        (greedy,) * 5,
        502,
        {"end.unit": "cards"},
    ),
    Golden(
        "unfinished",
        ("7.8", UNFINISHED),
        {"end.first_to": 20, "end.max_rounds": 1},
        (greedy,) * 5,
        62,
        {"end.max_rounds": 2},
    ),
    Golden(
        "esun_building",
        ("6.1", ESUN_1),
        {"esun": True, "end.first_to": 8},
        (anything, anything),
        964,
        {"esun": False},
    ),
    Golden(
        "esun_stealing",
        ("6.4", ESUN_4),
        {"esun": True, "end.first_to": 12},
        (anything, anything),
        3,
        {"esun": False},
    ),
    Golden(
        "esun_yoruba",
        ("6.5", ESUN_5),
        {"esun": True, "yoruba": True, "end.first_to": 10},
        (anything, anything),
        61,
        {"yoruba": False},
    ),
    Golden(
        "esun_release",
        "esun_unclaimed",
        {"esun": True, "end.first_to": 10},
        (hoarder, greedy),
        263,
        {"esun_unclaimed": "discard"},
    ),
    Golden(
        "esun_discard",
        "esun_unclaimed",
        {"esun": True, "esun_unclaimed": "discard", "end.first_to": 8},
        (hoarder, greedy),
        263,
        {"esun_unclaimed": "release"},
    ),
    Golden(
        "penalty_esun",
        "penalty.esun",
        {"esun": True, "penalty.esun": 5, "end.first_to": 8},
        (hoarder, anything),
        17,
        {"penalty.esun": 2},
    ),
    Golden(
        "miscapture_stands",
        ("8.5", SLIP),
        {"end.first_to": 8},
        (behaving(greedy, miscapture=0.3), greedy),
        402,
    ),
    Golden(
        "penalty_miscapture",
        "penalty.miscapture",
        {"esun": True, "penalty.miscapture": 3, "end.first_to": 8},
        (
            behaving(taker, miscapture=1),
            behaving(hoarder, vigilance=0.5),
            behaving(greedy, vigilance=0.5),
        ),
        31,
        {"penalty.miscapture": 2},
    ),
    Golden(
        "penalty_challenge",
        "penalty.challenge",
        {"penalty.challenge": 3, "end.first_to": 8},
        (greedy, *[behaving(greedy, false_challenge=0.4)] * 2),
        328,
        {"penalty.challenge": 2},
    ),
    Golden(
        "penalty_peek",
        "penalty.peek",
        {"penalty.peek": 3, "end.first_to": 9},
        (behaving(greedy, peek=0.5), *[behaving(greedy, vigilance=0.5)] * 2),
        302,
        {"penalty.peek": 2},
    ),
    Golden(
        "spying",
        ("8.7", SPYING),
        {"isiwo": True, "end.first_to": 9},
        (behaving(greedy, peek=1, spy=0.5), *[behaving(greedy, vigilance=0.5)] * 2),
        49,
        {"isiwo": False},
    ),
)
