"""RULES.md clause by clause on the kernel: what it shows its players, and what it counts."""

from itertools import pairwise

import numpy as np
import pytest

from sim.cards import FACES, JOKER, RANKS, SET_OUT, VALUE, unpack
from sim.rules import FirstTo, Rounds, Rules, round_plan
from sim.sight import TRAIL, move_kind
from sim.strategy import Player, strategy
from sim.view import BUILD, CAPTURE
from tests.differential import Case, new_log, play_kernel, read

DEALS = 12
ONE = Rounds(rounds=1)
EVERY = [2, 3, 4, 5]


@strategy(wants="all")
def trails(view):
    """Lays down a card whenever it may; under Yoruba rules, for lists stay short then."""
    best = 0
    for move in range(view.n_moves):
        if move_kind(view, move) == TRAIL:
            best = move
    return best


@strategy(wants="all")
def whatever(view):
    """Plays any legal move."""
    return np.int64(view.noise) % view.n_moves


def played(rules, players, *, plays=whatever, seed=1960):
    """Return each game's row and its turns."""
    lineup = (Player(plays),) * players
    games = []
    for deal in range(DEALS):
        log = new_log()
        [row] = play_kernel(Case(rules, lineup, seed, deal, 1), log)
        games.append((row, read(log)))
    return games


def rounds_of(turns):
    """Return the turns of each round."""
    return [[t for t in turns if t.round == n] for n in range(turns[-1].round + 1)]


# Set-up of a round


@pytest.mark.parametrize("players", EVERY)
def test_the_four_diamonds_are_set_out_in_every_round(players):
    for _, turns in played(Rules(), players):
        for first, *_ in rounds_of(turns):
            assert unpack(first.loose) == list(SET_OUT)


@pytest.mark.parametrize("players", EVERY)
def test_the_deal_passes_clockwise_and_the_player_after_the_dealer_leads(players):
    for _, turns in played(Rules(end=Rounds(rounds=players + 1)), players):
        for turn in turns:
            assert turn.seat == (turn.round + turn.turn) % players
            assert turn.role == turn.turn % players


@pytest.mark.parametrize("single_deal", [False, True])
@pytest.mark.parametrize("jokers", [0, 1, 2])
@pytest.mark.parametrize("players", EVERY)
def test_every_deal_gives_four_cards_each_and_a_single_deal_one(players, jokers, single_deal):
    rules = Rules(jokers=jokers, single_deal=single_deal, end=ONE)
    deals = round_plan(rules, players).deals
    for row, turns in played(rules, players):
        firsts = [turn for turn in turns if turn.turn % players == 0]
        starts = [t for then, t in pairwise([None, *firsts]) if then is None or then.deal < t.deal]
        assert [turn.hand_sizes[:players] for turn in starts] == [(n,) * players for n in deals]
        assert row["turns"] == len(turns) == players * sum(deals)


@pytest.mark.parametrize("players", EVERY)
def test_leftover_cards_are_laid_on_the_table_after_the_last_hands(players):
    """Nobody captures, so what lies there is what was set out, played or left over."""
    rules = Rules(yoruba=True, jokers=2, leftover="table", end=ONE)
    for row, turns in played(rules, players, plays=trails):
        last = next(turn for turn in turns if turn.deal == turns[-1].deal)
        assert len(unpack(last.loose)) == 4 + last.turn + round_plan(rules, players).leftover
        assert row["unused"] == 0


# What a turn does


def test_a_move_does_what_the_rulebook_says():
    """The table after each turn is the table before it, the played card and the taken ones."""
    for _, turns in played(Rules(esun=True, jokers=2, end=ONE), 3):
        for turn, after in pairwise(turns):
            if turn.deal != after.deal:
                continue
            card, kind, take, piles = turn.move
            standing = [p for i, p in enumerate(turn.piles) if not piles >> i & 1]
            built = [take + (1 << 4 * card)] if kind == BUILD else []
            assert after.loose == turn.loose - take + (kind == TRAIL) * (1 << 4 * card)
            assert [cards for cards, _, _ in after.piles] == [c for c, _, _ in standing] + built
            won = after.points[turn.seat] - turn.points[turn.seat]
            taken = len(unpack(take)) + sum(
                len(unpack(cards)) for i, (cards, _, _) in enumerate(turn.piles) if piles >> i & 1
            )
            assert won == (taken + 1 if kind == CAPTURE else 0)


@pytest.mark.parametrize(
    "rules", [Rules(jokers=2), Rules(yoruba=True, yoruba_faces="pair")], ids=str
)
def test_what_a_card_may_take(rules):
    """Groups of a value's sum, a face's own rank; under Yoruba rules no rank twice in a turn."""
    faces = values = 0
    for _, turns in played(rules, 3):
        for turn in turns:
            for card, kind, take, _ in turn.moves:
                taken = [other for other in unpack(take) if other != JOKER]
                if kind != CAPTURE or RANKS[card] == JOKER:
                    continue
                if RANKS[card] in FACES:
                    faces += 1
                    assert {*taken} == {RANKS[card]}
                    continue
                values += 1
                worth = [VALUE[other] for other in taken]
                assert sum(worth) % VALUE[RANKS[card]] == 0 < sum(worth)
                assert max(worth) <= VALUE[RANKS[card]]
                assert not rules.yoruba or len({RANKS[card], *taken}) == len(taken) + 1
    assert min(faces, values) > 100


def test_on_an_empty_table_a_joker_can_only_trail():
    met = 0
    for _, turns in played(Rules(jokers=2, end=Rounds(rounds=20)), 2):
        for turn in turns:
            if turn.loose == 0 and turn.piles == ():
                met += "*" in unpack(turn.hand)
                assert {kind for _, kind, _, _ in turn.moves} == {TRAIL}
    assert met > 0


# The rest


@pytest.mark.parametrize("players", EVERY)
def test_the_rest_goes_to_the_last_to_play_the_dealer(players):
    rules = Rules(yoruba=True, rest="last_to_play", end=ONE)
    for row, _ in played(rules, players, plays=trails):
        rest = [0, 0, 0, 0, 0]
        rest[players - 1] = 52 - row["unused"]
        assert row["rest"].tolist() == rest


def test_the_rest_goes_to_the_last_to_capture():
    for row, turns in played(Rules(rest="last_to_capture", end=ONE), 3):
        last = [turn.seat for turn in turns if turn.move[1] == CAPTURE][-1]
        assert row["rest"][last] == row["rest"].sum()
        assert row["left"] == 0


# Esun


@pytest.mark.parametrize("becomes", ["release", "discard"])
def test_an_unclaimed_pile_costs_its_builder_and_turns_loose_or_is_out(becomes):
    paid = 0
    for row, turns in played(Rules(esun=True, esun_unclaimed=becomes), 3):
        for turn, after in pairwise(turns):
            if turn.deal == after.deal or turn.round != after.round:
                continue
            card, kind, take, piles = turn.move
            standing = [(p[0], p[1]) for i, p in enumerate(turn.piles) if not piles >> i & 1]
            standing += [(take + (1 << 4 * card), turn.seat)] * (kind == BUILD)
            loose = turn.loose - take + (kind == TRAIL) * (1 << 4 * card)
            released = sum(cards for cards, _ in standing) * (becomes == "release")
            assert (after.piles, after.loose) == ((), loose + released)
            for seat in range(3):
                if seat != turn.seat:
                    lost = turn.points[seat] - after.points[seat]
                    assert lost == 2 * [builder for _, builder in standing].count(seat)
                    paid += lost
        assert row["penalties"].sum() % 2 == 0
    assert paid > 0


# The end


@pytest.mark.parametrize("players", EVERY)
def test_the_first_to_hold_the_target_wins_at_once(players):
    """Nobody who reached it is ever asked for another move, or watches one."""
    target = 9
    for row, turns in played(Rules(end=FirstTo(first_to=target)), players):
        assert all(max(turn.points) < target for turn in turns)
        last = turns[-1]
        assert last.move[1] == CAPTURE
        assert row["winners"] == 1 << last.seat
        assert row["turns"] == len(turns)


def test_the_target_is_checked_again_when_the_rest_has_been_given():
    rules = Rules(rest="last_to_play", yoruba=True, end=FirstTo(first_to=52))
    for row, _ in played(rules, 2, plays=trails):
        assert (row["points"][1], row["winners"], row["rounds"]) == (52, 0b10, 1)


@pytest.mark.parametrize("players", EVERY)
def test_equal_points_share_the_win_and_the_rounds(players):
    rules = Rules(yoruba=True, end=Rounds(rounds=2))
    for row, _ in played(rules, players, plays=trails):
        assert row["points"].sum() == 0
        assert row["winners"] == (1 << players) - 1
        assert row["rounds_won"].tolist() == [120 // players] * players + [0] * (5 - players)


def test_first_to_a_number_of_rounds():
    for row, turns in played(Rules(end=FirstTo(first_to=2, unit="rounds")), 2):
        before = [turns_of_round[0].points for turns_of_round in rounds_of(turns)]
        ends = [*before[1:], tuple(row["points"])]
        won = np.zeros(2, int)
        for then, now in zip(before, ends, strict=True):
            assert max(won) < 120
            earned = np.subtract(now, then)[:2]
            won += np.where(earned == earned.max(), 60 // (earned == earned.max()).sum(), 0)
        assert row["rounds_won"][:2].tolist() == won.tolist()
        assert row["winners"] == sum(1 << s for s in (0, 1) if won[s] >= 120) > 0
