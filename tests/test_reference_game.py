"""The twin's game as a whole: what it counts, what it shows a player, how it fails."""

import ast
import ctypes
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sim.reference
from sim.cards import JOKER, RANKS, unpack
from sim.columns import GAME
from sim.errors import WorkerFailed
from sim.reference import best_moves, legal_moves, play_game
from sim.reference.chance import deck_check, noise, shuffled
from sim.reference.events import Dealt, Rest, RoundBegins, RoundEnds, Turn, Unclaimed
from sim.reference.state import whole_pack
from sim.reference.tally import Tally
from sim.reference.views import openers
from sim.rules import FirstTo, Rounds, Rules, round_plan
from sim.strategy import Parameter, Player, strategy
from sim.view import BUILD, CAPTURE, KINDS, MOVE, TRAIL
from tests.games import anything, hoarder, of_kind, passive, taker, told, turns_of

GAMES = [
    (Rules(jokers=2, rest="last_to_capture", leftover="table"), 2),
    (Rules(jokers=1, esun=True, yoruba=True), 3),
    (Rules(jokers=2, esun=True, esun_unclaimed="discard", single_deal=True), 5),
    (Rules(end=FirstTo(first_to=2, unit="rounds")), 4),
]


@pytest.fixture(params=[(g, d) for g in GAMES for d in range(3)], ids=lambda p: f"{p[0][1]}-{p[1]}")
def game(request):
    (rules, players), deal = request.param
    row, events = told(rules, [anything, *[taker] * (players - 1)], deal=deal)
    return rules, players, deal, row, events


# What is counted


def test_a_row_has_every_column_but_the_rotation(game):
    row = game[3]
    assert set(row) == set(GAME.names) - {"rotation"}
    for name in row:
        numbers = np.zeros(1, GAME)
        numbers[name] = row[name]
        assert numbers[name][0].tolist() == row[name]


def test_the_address_and_the_deck_are_in_the_row(game):
    _, _, deal, row, _ = game
    assert (row["deal"], row["hand_rotation"]) == (deal, 0)
    assert row["deck_check"] == deck_check(shuffled(1960, deal, 0))


def test_captures_are_counted_from_the_turns(game):
    _, _, _, row, events = game
    captures = [turn for turn in turns_of(events) if turn.move.kind == "capture"]
    by_seat = Counter(turn.seat for turn in captures)
    taken, sweeps = Counter(), Counter()
    for turn in captures:
        cards = len(turn.move.take) + sum(len(turn.piles[i]) for i in turn.move.piles)
        taken[turn.seat] += cards
        there = len(turn.loose) + sum(len(pile) for pile in turn.piles)
        sweeps[turn.seat] += cards == there
    assert row["captures"] == [by_seat[s] for s in range(5)]
    assert row["taken"] == [taken[s] for s in range(5)]
    assert row["sweeps"] == [sweeps[s] for s in range(5)]
    assert row["joker_captures"] == sum(turn.move.card == JOKER for turn in captures)


def test_rounds_are_counted_from_their_points(game):
    _, players, _, row, events = game
    points = [(0,) * players, *(end.points for end in of_kind(events, RoundEnds))]
    leads = [start.leader for start in of_kind(events, RoundBegins)]
    roles, won = [0] * 5, [0] * 5
    for then, now, leader in zip(points, points[1:], leads, strict=False):
        earned = [b - a for a, b in zip(then, now, strict=True)]
        best = [s for s in range(players) if earned[s] == max(earned)]
        for seat in range(players):
            roles[(seat - leader) % players] += earned[seat]
            won[seat] += 60 // len(best) * (seat in best)
    assert row["role_points"] == roles
    assert row["rounds_won"] == won
    assert row["rounds"] == len(leads)
    assert row["first_leaders"] == mask_of_best(points[1])


def mask_of_best(points):
    return sum(1 << s for s, p in enumerate(points) if p == max(points))


def points_after_turns(players, events):
    """Return the points before the first turn and after each turn and what followed from it."""
    states = [[0] * players]
    for event in events:
        match event:
            case Turn():
                states.append(list(event.points))
            case Unclaimed():
                states[-1][event.builder] -= event.penalty
            case Rest() if event.seat is not None:
                states[-1][event.seat] += len(event.cards)
    return states


def test_lead_changes_and_comeback_are_counted_from_the_points_after_turns(game):
    _, players, _, row, events = game
    states = points_after_turns(players, events)
    lead = [mask_of_best(points) for points in states]
    assert row["lead_changes"] == sum(a != b for a, b in pairwise(lead))
    winners = [s for s in range(players) if row["winners"] >> s & 1]
    assert row["comeback"] == max(max(p) - p[w] for p in states for w in winners)


@pytest.mark.parametrize("deal", range(4))
def test_decided_is_the_turn_after_which_the_winners_lead_for_good(deal):
    row, events = told(Rules(rest="last_to_play"), [anything] * 2, deal=deal)
    lead = [mask_of_best(points) for points in points_after_turns(2, events)]
    decided = row["decided"]
    assert all(leaders == row["winners"] for leaders in lead[decided:])
    assert decided == 0 or lead[decided - 1] != row["winners"]


def test_a_game_of_equals_is_decided_before_its_first_turn():
    row, _ = told(Rules(yoruba=True, end=Rounds(rounds=1)), [passive] * 2)
    assert (row["decided"], row["lead_changes"], row["comeback"]) == (0, 0, 0)


def test_decided_follows_rounds_won_where_rounds_are_the_target():
    """Seat 1 wins both rounds, so it leads for good from the last turn of the first."""
    rules = Rules(end=FirstTo(first_to=2, unit="rounds"))
    tally = Tally(rules, 2)
    for points, rounds_won in [([3, 0], [0, 0]), ([3, 5], [0, 60]), ([9, 5], [0, 60])]:
        tally.by_seat |= {"points": points, "rounds_won": rounds_won}
        tally.turn_is_over()
    row = tally.row([1])
    assert (row["decided"], row["lead_changes"], row["comeback"]) == (2, 3, 4)


def test_winners_who_are_not_all_leaders_are_decided_by_the_last_turn():
    """Both have reached the target of rounds, and one has more than the other."""
    tally = Tally(Rules(end=FirstTo(first_to=1, unit="rounds")), 2)
    for rounds_won in ([0, 0], [60, 90]):
        tally.by_seat["rounds_won"] = rounds_won
        tally.turn_is_over()
    assert tally.row([0, 1])["decided"] == 2


def test_a_round_cut_short_leaves_nothing_and_is_won_by_nobody():
    row, events = told(Rules(end=FirstTo(first_to=8)), [anything] * 5)
    assert not of_kind(events, RoundEnds)
    assert (row["left"], row["first_leaders"], row["rounds_won"]) == (0, 0, [0] * 5)
    assert sum(row["role_points"]) == sum(row["points"])
    assert row["unused"] == round_plan(Rules(), 5).leftover * row["rounds"]


# What a player is shown


def shown(rules, players, deal, see):
    """Play a game whose every player calls `see(view)`; return what it saw, and the events."""
    seen = []

    @strategy(wants="all", parameters=(Parameter("x", 2.5, 0, 9, "x"),))
    def watcher(view):
        seen.append(see(view))
        return int(view.noise) % int(view.n_moves)

    seating = [watcher.bind({"x": seat}) for seat in range(players)]
    events = []
    play_game(rules, seating, 1960, deal, watch=events.append)
    return seen, events


@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_the_view_tells_table_hand_piles_and_place_as_they_are(rules, players):
    fields = (
        *("hand", "loose", "players", "seat", "role", "round", "deal", "turn", "turns", "deals"),
        *("noise", "n_piles", "n_moves"),
    )

    def see(view):
        numbers = {name: int(view[name]) for name in fields}
        arrays = {
            name: view[name].tolist()
            for name in ("hand_sizes", "points", "pile_cards", "pile_builder", "parameters")
        }
        return numbers | arrays

    seen, events = shown(rules, players, 1, see)
    plan = round_plan(rules, players)
    turns = turns_of(events)
    for before, view, turn in zip([None, *turns], seen, turns, strict=False):
        assert Counter(unpack(view["hand"])) == Counter(turn.hand)
        assert Counter(unpack(view["loose"])) == Counter(turn.loose)
        assert (view["players"], view["seat"], view["round"]) == (players, turn.seat, turn.round)
        assert view["role"] == (turn.seat - turn.round) % players
        assert (view["deal"], view["turn"]) == (turn.deal, turn.turn)
        assert (view["deals"], view["turns"]) == (len(plan.deals), plan.turns * players)
        assert view["noise"] == noise(1960, 1, turn.round, turn.turn)
        assert view["n_piles"] == len(turn.piles)
        piles = [tuple(unpack(cards)) for cards in view["pile_cards"][: len(turn.piles)]]
        assert piles == [tuple(sorted(pile, key=RANKS.index)) for pile in turn.piles]
        assert tuple(view["pile_builder"][: len(turn.piles)]) == turn.builders
        assert view["n_moves"] == len(turn.legal)
        assert view["hand_sizes"][turn.seat] == len(turn.hand)
        assert view["hand_sizes"][players:] == view["points"][players:] == [0] * (5 - players)
        assert view["parameters"][0] == turn.seat
        if before and before.deal == turn.deal and before.round == turn.round:
            assert tuple(view["points"][:players]) == before.points


@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_next_hand_is_what_the_next_player_will_hold(rules, players):
    seen, events = shown(rules, players, 2, lambda view: int(view.next_hand))
    turns = turns_of(events)
    for said, now, later in zip(seen, turns, [*turns[1:], None], strict=True):
        same_round = later is not None and later.round == now.round
        assert said == (len(later.hand) if same_round else 0)


@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_unseen_is_the_pack_less_all_that_was_dealt_to_the_player_or_shown_to_all(rules, players):
    seen, events = shown(rules, players, 0, lambda view: int(view.unseen))
    told_unseen = iter(seen)
    for event in events:
        match event:
            case RoundBegins():
                shown_to = [Counter(event.table) for _ in range(players)]
            case Dealt():
                for seat in range(players):
                    shown_to[seat].update(event.hands[seat] + event.to_table)
            case Turn():
                expected = Counter(whole_pack(rules)) - shown_to[event.seat]
                assert Counter(unpack(next(told_unseen))) == expected
                for seat in range(players):
                    shown_to[seat][event.move.card] += seat != event.seat


def test_the_view_tells_the_rules():
    rules = Rules(
        jokers=2,
        yoruba=True,
        yoruba_faces="pair",
        yoruba_joker="distinct",
        must_capture="most",
        rest="last_to_capture",
        esun=True,
        end=FirstTo(first_to=30, max_rounds=7),
    )
    names = (
        *("jokers", "yoruba", "pair_faces", "distinct_joker", "must_capture", "rest", "esun"),
        *("esun_penalty", "rounds", "target", "captures"),
    )
    seen, _ = shown(rules, 3, 0, lambda view: [int(view[name]) for name in names])
    assert seen[0] == [2, 1, 1, 1, 2, 2, 1, 2, 7, 30, 0]
    seen, _ = shown(Rules(), 2, 0, lambda view: [int(view[name]) for name in names])
    assert seen[0] == [0, 0, 0, 0, 0, 0, 0, 2, 4, 0, 0]


def test_the_moves_are_records_at_an_address_in_canonical_order():
    """Read as a compiled strategy reads them: MOVE records, 16 bytes each."""

    def see(view):
        length = MOVE.itemsize * int(view.n_moves)
        return np.frombuffer(ctypes.string_at(int(view.moves), length), MOVE).tolist()

    assert MOVE.itemsize == 16
    assert tuple(map(KINDS.index, ("trail", "capture", "build"))) == (TRAIL, CAPTURE, BUILD)
    seen, events = shown(Rules(esun=True, jokers=2), 3, 0, see)
    for records, turn in zip(seen, turns_of(events), strict=True):
        expected = []
        for move in turn.legal:
            card, kind, take, piles = move.numbers()
            expected.append((take, piles, move.size, card, kind))
        assert records == expected
        assert [(c, k, t, p) for t, p, _, c, k in records] == sorted(
            (c, k, t, p) for t, p, _, c, k in records
        )


def test_a_strategy_that_wants_the_best_is_offered_those():
    offered = []

    @strategy(wants="best")
    def watcher(view):
        offered.append(int(view.n_moves))
        return 0

    _, events = told(Rules(esun=True, yoruba=True), [watcher] * 3)
    best = [len(best_moves(turn.legal)) for turn in turns_of(events)]
    assert offered == best
    assert best != [len(turn.legal) for turn in turns_of(events)]


@pytest.mark.parametrize("pile", ["2 3", "5 5", "J J", "A 2 5 5 8 9"])
@pytest.mark.parametrize(
    "rules",
    [
        Rules(esun=True),
        Rules(esun=True, yoruba=True),
        Rules(esun=True, yoruba=True, yoruba_faces="pair", yoruba_joker="distinct"),
    ],
    ids=["plain", "yoruba", "sub-options"],
)
def test_the_openers_of_a_pile_are_the_cards_that_can_capture_it(rules, pile):
    cards = tuple(pile.split())
    able = [r for r in RANKS if len(legal_moves(rules, [r], [], [cards])) > 1]
    assert openers(rules, cards) == sum(1 << RANKS.index(rank) for rank in able)


def test_choosers_take_the_place_of_the_strategies():
    first = strategy(wants="all")(lambda view: 0)
    last = strategy(wants="all")(lambda view: int(view.n_moves) - 1)
    expected, _ = told(Rules(), [first, last])
    other, _ = told(Rules(), [last, last])
    assert expected != other
    seating = [Player(last), Player(last)]
    assert play_game(Rules(), seating, 1960, 0, choosers=[first.choose, last.choose]) == expected


# How it fails


def chooses(what):
    @strategy(wants="all")
    def broken(view):
        if view.turn == 5:
            return what(view)
        return 0

    return broken


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (lambda view: -1, "chose -1"),
        (lambda view: int(view.n_moves), "it must return a whole number from 0 to"),
        (lambda view: 0.0, "chose 0.0"),
        (lambda view: True, "chose True"),
        (lambda view: None, "chose None"),
        (lambda view: 1 // 0, "failed: ZeroDivisionError"),
    ],
)
def test_a_choice_that_is_no_move_stops_the_game_and_names_its_address(what, words):
    with pytest.raises(WorkerFailed) as failure:
        told(Rules(), [taker, chooses(what)], seed=77, deal=12, hand_rotation=1)
    message = str(failure.value)
    assert words in message
    assert "the strategy broken" in message
    assert "seed 77, deal 12, hand rotation 1, round 1, turn 6, seat 1" in message


def test_a_lost_card_stops_the_game(monkeypatch):
    whole = sim.reference.play.whole_pack
    monkeypatch.setattr(sim.reference.play, "whole_pack", lambda rules: [*whole(rules), "A"])
    with pytest.raises(WorkerFailed, match=r"cards were lost or doubled .*deal 3"):
        told(Rules(), [taker, taker], deal=3)


def test_numpy_integers_are_indices():
    row, _ = told(Rules(yoruba=True), [chooses(lambda view: np.int64(0))] * 2)
    assert row["turns"] == 192


# What it stands on


def test_the_twin_shares_with_the_kernel_only_cards_rules_and_layouts():
    allowed = {"cards", "rules", "view", "columns", "errors", "conduct", "strategy", "reference"}
    for path in Path(sim.reference.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                top, _, rest = name.partition(".")
                assert top not in ("numba", "strategies"), path
                assert top != "sim" or rest.split(".")[0] in allowed, path


def test_hoarders_pay():
    row, _ = told(Rules(esun=True, yoruba=True), [hoarder] * 2)
    assert min(row["points"][:2]) < 0
