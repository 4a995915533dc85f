"""One game told: objects for programs, words for a person."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from sim.cards import parse, show
from sim.cli import cli
from sim.commands.replay import choose_cell, within
from sim.errors import UsageFault
from sim.reference.events import (
    Challenge,
    Dealt,
    GameEnds,
    Look,
    Rest,
    RoundBegins,
    RoundEnds,
    Turn,
    Unclaimed,
)
from sim.reference.moves import Move
from sim.replay import as_object, in_words, replay
from sim.rules import FirstTo, Penalty, Rules
from sim.strategy import Player
from tests.games import anything, hoarder, taker, told
from tests.runs import played

RULES = Rules(esun=True, jokers=2, rest="last_to_capture", penalty=Penalty(esun=3))


@pytest.fixture
def objects():
    seating = [Player(one) for one in (anything, hoarder, taker)]
    return [as_object(event) for event in replay(RULES, seating, 5, 9, 1)]


def of(objects, kind):
    return [one for one in objects if one["event"] == kind]


def test_the_scores_are_those_of_the_row(objects):
    row, _ = told(RULES, [anything, hoarder, taker], seed=5, deal=9, hand_rotation=1)
    assert objects[-1] == {
        "event": "game_end",
        "points": row["points"][:3],
        "winners": [s for s in range(3) if row["winners"] >> s & 1],
    }
    assert len(of(objects, "turn")) == row["turns"]


KEYS = {
    "round": "round leader table",
    "deal": "deal hands to_table",
    "turn": "seat hand table piles move card take take_piles points",
    "unclaimed": "pile builder penalty becomes",
    "rest": "cards seat",
    "round_end": "points",
    "game_end": "points winners",
}


def test_objects_have_the_promised_keys_and_are_json(objects):
    assert {one["event"] for one in objects} == set(KEYS)
    for one in objects:
        assert json.loads(json.dumps(one)) == one
        assert [*one] == ["event", *KEYS[one["event"]].split()]


def test_rounds_and_deals_count_from_1_and_seats_from_0(objects):
    assert [(one["round"], one["leader"]) for one in of(objects, "round")] == [
        (1, 0),
        (2, 1),
        (3, 2),
        (4, 0),
    ]
    assert [one["deal"] for one in of(objects, "deal")] == [1, 2, 3, 4] * 4
    assert {one["table"] for one in of(objects, "round")} == {"9 J Q K"}


def test_cards_are_in_rank_order(objects):
    for one in objects:
        for key in ("hand", "table", "take", "cards", "pile", "to_table"):
            assert one.get(key, "") == show(parse(one.get(key, "")))


def test_a_turn_tells_the_position_before_and_the_points_after():
    turn = Turn(
        round=0,
        deal=0,
        turn=3,
        seat=1,
        hand=("K", "9"),
        loose=("6", "3", "*"),
        piles=(("5", "4"),),
        builders=(0,),
        legal=(),
        move=Move("capture", "9", ("3", "6", "*"), (0,), 5),
        points=(2, 6),
    )
    assert as_object(turn) == {
        "event": "turn",
        "seat": 1,
        "hand": "9 K",
        "table": "3 6 *",
        "piles": ["4 5"],
        "move": "capture",
        "card": "9",
        "take": "3 6 *",
        "take_piles": [0],
        "points": [2, 6],
    }
    assert in_words(turn).strip() == (
        "On the table: 3 6 *, the pile 4 5. Seat 1, holding 9 K, plays the 9 and takes 3 6 * and "
        "the pile 4 5 of seat 0 (6 cards), and the table is empty; points 2, 6."
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (RoundBegins(1, 1, ("K", "9")), "Round 2: seat 1 leads. On the table: 9 K."),
        (
            Dealt(0, (("4", "A"), ("2", "3")), ("J",)),
            "Deal 1: seat 0 gets A 4; seat 1 gets 2 3. Left over, to the table: J.",
        ),
        (
            Unclaimed(("5", "4"), 1, 1, "loose"),
            "Nobody captured the pile 4 5: it turns loose; its builder, seat 1, pays 1 point.",
        ),
        (
            Unclaimed(("5", "4"), 0, 2, "out"),
            "Nobody captured the pile 4 5: it is out of play; its builder, seat 0, pays 2 points.",
        ),
        (
            Look(1, 1, True, 2),
            "Seat 1 looks through its own captured pile, is noticed and pays 2 points.",
        ),
        (
            Unclaimed(("5", "4"), 0, 0, "loose"),
            "Nobody captured the pile 4 5: it turns loose; its builder, seat 0, pays nothing.",
        ),
        (
            Look(0, 2, False, 0),
            "Seat 0 looks through the captured pile of seat 2, and is not noticed.",
        ),
        (
            Challenge(2, True, 0, 2, ("K", "9"), (("4", "5"),), (-2, 0, 0)),
            "Seat 2 challenges and is right: it is no capture, the played card stays on the table, "
            "and seat 0 pays 2 points. On the table: 9 K, the pile 4 5; points -2, 0, 0.",
        ),
        (
            Challenge(2, False, 2, 1, (), (), (3, 0, -1)),
            "Seat 2 challenges and is wrong: the capture stands, and seat 2 pays 1 point. "
            "On the table: no loose card; points 3, 0, -1.",
        ),
        (Rest((), None), "No loose card is left."),
        (Rest(("3", "A"), None), "The rest goes to nobody: A 3 (2 cards)."),
        (Rest(("3",), 1), "The rest goes to seat 1: 3 (1 card)."),
        (RoundEnds((4, -2)), "The round is over: points 4, -2."),
        (GameEnds((4, 2), (0,), False), "The game is over. Seat 0 wins: points 4, 2."),
        (
            GameEnds((4, 4), (0, 1), True),
            "The game is over. Nobody reached the target. Seat 0 and seat 1 share the win: "
            "points 4, 4.",
        ),
    ],
)
def test_events_in_words(event, words):
    assert in_words(event).strip() == words


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (Move("trail", "9"), "lays down the 9."),
        (Move("build", "9", ("A",), (), 1), "builds a pile with the 9 and A."),
        (Move("capture", "9", ("9",), (), 1), "plays the 9 and takes 9 (2 cards); points 0, 2."),
        (
            Move("capture", "9", (), (0, 1), 4),
            "takes the pile 4 5 of seat 0 and its own pile A 8 (5 cards); points 0, 2.",
        ),
    ],
)
def test_moves_in_words(move, words):
    piles = (("4", "5"), ("A", "8"))
    turn = Turn(0, 0, 0, 1, ("9",), ("A", "9"), piles, (0, 1), (), move, (0, 2))
    assert in_words(turn).endswith(words)


def test_a_card_too_many_is_told_and_counts():
    move = Move("capture", "9", ("9",), (), 1)
    turn = Turn(0, 0, 0, 1, ("9",), ("4", "9"), (), (), (), move, (0, 3), slip="4")
    assert as_object(turn)["slip"] == "4"
    assert in_words(turn).endswith(
        "plays the 9 and takes 9 and the 4, one card too many (3 cards), and the table is empty; "
        "points 0, 3."
    )


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            Look(1, 1, True, 2),
            {"event": "peek", "seat": 1, "of": 1, "noticed": True, "penalty": 2},
        ),
        (
            Look(1, 0, False, 0),
            {"event": "spy", "seat": 1, "of": 0, "noticed": False, "penalty": 0},
        ),
        (
            Challenge(1, True, 0, 2, ("K", "9"), (("5", "4"),), (-2, 0)),
            {
                "event": "challenge",
                "by": 1,
                "right": True,
                "penalty": 2,
                "table": "9 K",
                "piles": ["4 5"],
                "points": [-2, 0],
            },
        ),
    ],
)
def test_conduct_as_objects(event, expected):
    assert as_object(event) == expected


def test_a_table_with_a_pile_left_is_not_empty():
    move = Move("capture", "9", ("9",), (), 1)
    turn = Turn(0, 0, 0, 1, ("9",), ("9",), (("4", "5"),), (0,), (), move, (0, 2))
    assert in_words(turn).endswith("plays the 9 and takes 9 (2 cards); points 0, 2.")


def test_a_game_cut_short_ends_after_the_turn_that_reached_the_target():
    seating = [Player(taker)] * 2
    *_, last, end = replay(Rules(end=FirstTo(first_to=10)), seating, 1, 1)
    assert isinstance(last, Turn)
    assert end == GameEnds(last.points, (last.seat,), False)


# Which game


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return played(tmp_path_factory.mktemp("told")).run


def output(run, *args):
    result = CliRunner().invoke(cli, ["replay", str(run.path), *args], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


@pytest.mark.parametrize("index", [0, 1, 5, 11])
def test_a_game_of_a_run_is_told_to_the_scores_that_are_stored(run, index):
    cell = run.cells[index]
    stored = cell.id if cell.shares is None else cell.shares
    frame = next(f for f in run.games() if f["cell"][0] == stored)
    row = frame.row(-1, named=True)
    place = {
        "--variant": cell.variant,
        "--players": cell.players,
        "--lineup": cell.lineup,
        "--deal": row["deal"],
        "--rotation": row["rotation"],
        "--hand-rotation": row["hand_rotation"],
    }
    args = [str(word) for pair in place.items() for word in pair]
    *_, end = output(run, *args, "--json").splitlines()
    assert json.loads(end)["points"] == [row[f"points_{s}"] for s in range(cell.players)]
    heading, *story = output(run, *args).splitlines()
    assert heading.startswith(f"{cell.variant}, {cell.lineup}, deal {row['deal']} of seed")
    assert story[-1].startswith("The game is over.")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--deal", "999999"], "--deal 999999: this run has 0 to"),
        (["--deal", "0", "--rotation", "1"], "--rotation 1: this run has 0 to 0"),
        (["--deal", "0", "--hand-rotation", "-1"], "--hand-rotation -1: this run has"),
    ],
)
def test_an_address_outside_the_run_is_refused(run, args, words):
    with pytest.raises(UsageFault, match=words):
        output(run, "--variant", "casual", "--players", "2", "--lineup", "greedy", *args)


CELLS = [
    SimpleNamespace(variant=variant, players=players, lineup=lineup)
    for variant in ("casual", "yoruba")
    for players in (2, 3)
    for lineup in ("greedy", "cautious")
]


def test_a_cell_is_chosen_by_variant_players_and_lineup():
    assert choose_cell(CELLS, "yoruba", 2, "cautious") is CELLS[5]
    assert choose_cell(CELLS[4:5], None, None, None) is CELLS[4]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (("yorub", 2, "greedy"), r"--variant yorub: .* \(did you mean yoruba\?\); it has casual"),
        (("yoruba", 4, "greedy"), "--players 4: not in this run; it has 2, 3"),
        ((None, 2, "greedy"), "--variant is missing; the run has casual, yoruba"),
        (("yoruba", 2, None), "--lineup is missing"),
    ],
)
def test_a_cell_that_was_not_played_is_refused(wanted, words):
    with pytest.raises(UsageFault, match=words):
        choose_cell(CELLS, *wanted)


@pytest.mark.parametrize("found", [-1, 3])
def test_a_deal_that_was_not_played_is_refused(found):
    within("--deal", 2, 0, 3)
    with pytest.raises(UsageFault, match=f"--deal {found}: this run has 0 to 2"):
        within("--deal", found, 0, 3)
