"""RULES.md clause by clause: what a turn can do. Each test is named for its clause."""

import pytest

from sim.cards import parse, show
from sim.reference import legal_moves
from sim.rules import Rules


def captures(rules, hand, table, *piles):
    """Return captures as ``card: loose cards [piles]`` texts."""
    return {
        f"{m.card}: {show(m.take)} {[*m.piles]}" if m.piles else f"{m.card}: {show(m.take)}"
        for m in moves(rules, hand, table, *piles)
        if m.kind == "capture"
    }


def moves(rules, hand, table, *piles):
    return legal_moves(rules, parse(hand), parse(table), [parse(pile) for pile in piles])


def kinds(*args):
    return {move.kind for move in moves(*args)}


def builds(rules, hand, table):
    return {f"{m.card}: {show(m.take)}" for m in moves(rules, hand, table) if m.kind == "build"}


TABLE = "6 3 3 7 9 A A"


# Capture with a value card


def test_a_9_takes_six_cards_of_6_3_3_7_9_a_a_and_the_other_3_stays():
    found = captures(Rules(), "9", TABLE)
    assert "9: A A 3 6 7 9" in found
    assert max(len(text.split()) - 1 for text in found) == 6


def test_any_set_of_groups_can_be_taken_not_only_the_largest():
    assert captures(Rules(), "9", TABLE) == {
        "9: 9",
        "9: 3 6",
        "9: A A 7",
        "9: 3 6 9",
        "9: A A 7 9",
        "9: A A 3 6 7",
        "9: A A 3 6 7 9",
    }


def test_each_card_is_used_once():
    assert captures(Rules(), "5", "2 3 3") == {"5: 2 3"}


def test_a_value_card_takes_no_face():
    assert captures(Rules(), "10", "J Q K") == set()


def test_an_ace_is_worth_one():
    assert captures(Rules(), "2", "A A") == {"2: A A"}


# Capture with J, Q or K


@pytest.mark.parametrize("face", ["J", "Q", "K"])
def test_a_face_takes_any_number_of_its_own_rank(face):
    table = f"{face} {face} A 10 " + " ".join({"J", "Q", "K"} - {face})
    assert captures(Rules(), face, table) == {f"{face}: {face}", f"{face}: {face} {face}"}


# Capture with a joker; a joker lying on the table


def test_a_joker_takes_everything_loose_cards_jokers_and_piles():
    rules = Rules(jokers=2, esun=True)
    assert captures(rules, "*", "3 K *", "4 6", "2 2") == {"*: 3 K * [0, 1]"}


def test_a_joker_may_capture_a_lone_joker_or_a_lone_pile():
    rules = Rules(jokers=2, esun=True)
    assert captures(rules, "*", "*") == {"*: *"}
    assert captures(rules, "*", "", "4 6") == {"*:  [0]"}


def test_on_an_empty_table_a_joker_can_only_trail():
    assert [m.kind for m in moves(Rules(jokers=1), "*", "")] == ["trail"]


def test_a_joker_on_the_table_goes_along_with_any_capture():
    assert captures(Rules(jokers=2), "5 K", "2 3 K * *") == {"5: 2 3 * *", "K: K * *"}


def test_a_joker_on_the_table_makes_no_other_cards_capture_legal():
    assert captures(Rules(jokers=1), "5 K", "2 *") == set()


# Trail


def test_trailing_is_always_allowed_and_the_same_for_equal_cards():
    trails = [m.card for m in moves(Rules(jokers=1), "9 9 K *", TABLE) if m.kind == "trail"]
    assert trails == ["9", "K", "*"]


# must_capture


def test_must_capture_never_leaves_the_choice():
    assert kinds(Rules(esun=True), "9 10", "A 9") == {"capture", "trail", "build"}


def test_must_capture_any_forces_a_capture_with_some_card_in_hand():
    rules = Rules(must_capture="any", esun=True)
    assert captures(rules, "2 9 10 K", "A 9") == {"9: 9", "10: A 9"}
    assert kinds(rules, "2 9 10 K", "A 9") == {"capture"}


def test_must_capture_any_counts_a_joker_in_hand():
    assert kinds(Rules(must_capture="any", jokers=1), "2 *", "9") == {"capture"}


def test_must_capture_most_forces_as_many_cards_as_any_card_in_hand_could_take():
    rules = Rules(must_capture="most")
    assert captures(rules, "5 7 9", "2 3 4 5 5") == {"5: 2 3 5 5", "7: 2 3 4 5"}
    assert kinds(rules, "5 7 9", "2 3 4 5 5") == {"capture"}


def test_must_capture_most_counts_jokers_and_pile_cards():
    rules = Rules(must_capture="most", esun=True, jokers=1)
    assert captures(rules, "5 9", "2 3 9 *", "4 5", "A 8") == {"9: 9 * [0, 1]"}


@pytest.mark.parametrize("must", ["any", "most"])
def test_without_a_capture_trailing_and_building_are_allowed(must):
    assert kinds(Rules(must_capture=must, esun=True), "2 7", "5") == {"trail", "build"}


# Two moves are the same


def test_moves_with_equal_cards_are_one_move():
    assert len(moves(Rules(), "4 4", "4 4")) == 3


def test_piles_with_equal_cards_stay_distinct():
    assert captures(Rules(esun=True), "10", "", "4 6", "4 6") == {
        "10:  [0]",
        "10:  [1]",
        "10:  [0, 1]",
    }


# Yoruba rules


def test_under_yoruba_a_9_takes_only_6_3_of_the_worked_table():
    assert captures(Rules(yoruba=True), "9", TABLE) == {"9: 3 6"}


def test_under_yoruba_groups_may_be_several_if_all_ranks_of_the_turn_differ():
    assert captures(Rules(yoruba=True), "9", "A 8 2 7 8") == {
        "9: A 8",
        "9: 2 7",
        "9: A 2 7 8",
    }


def test_under_yoruba_no_face_captures_a_face():
    assert captures(Rules(yoruba=True), "K", "K K") == set()


def test_yoruba_faces_pair_lets_a_face_take_its_own_rank_loose_and_in_piles():
    rules = Rules(yoruba=True, yoruba_faces="pair", esun=True)
    assert captures(rules, "K", "K", "K K") == {"K: K", "K:  [0]", "K: K [0]"}


def test_under_yoruba_jokers_go_along_and_are_no_repetition():
    assert captures(Rules(yoruba=True, jokers=2), "9", "3 6 * *") == {"9: 3 6 * *"}


def test_under_yoruba_a_jokers_sweep_is_exempt():
    rules = Rules(yoruba=True, jokers=2, esun=True)
    assert captures(rules, "*", "3 3 K *", "4 6") == {"*: 3 3 K * [0]"}


def test_yoruba_joker_distinct_takes_different_ranks_no_piles_and_all_jokers():
    rules = Rules(yoruba=True, yoruba_joker="distinct", jokers=2, esun=True)
    assert captures(rules, "*", "3 3 K *", "4 6") == {"*: 3 *", "*: K *", "*: 3 K *"}


def test_yoruba_joker_distinct_needs_a_card_that_is_no_joker():
    rules = Rules(yoruba=True, yoruba_joker="distinct", jokers=2, esun=True)
    assert captures(rules, "*", "*", "4 6") == set()


# Esun


def test_a_9_is_joined_with_a_2_8_5_5_by_a_player_who_holds_a_10():
    assert "9: A 2 5 5 8" in builds(Rules(esun=True), "9 10", "A 2 8 5 5")


def test_under_yoruba_the_two_fives_are_not_permitted():
    found = builds(Rules(esun=True, yoruba=True), "9 10", "A 2 8 5 5")
    assert "9: A 2 8" in found
    assert not any("5 5" in text for text in found)


def test_without_the_capturing_card_there_is_no_build():
    assert builds(Rules(esun=True), "9 J", "A 2 8 5 5") == set()
    assert builds(Rules(esun=True), "10", "A 9") == set()


def test_the_played_card_cannot_be_the_one_that_is_kept():
    assert builds(Rules(esun=True), "5", "5") == set()
    assert builds(Rules(esun=True), "5 5", "5") == {"5: 5"}


def test_faces_are_built_of_one_rank_for_a_face_of_that_rank():
    assert builds(Rules(esun=True), "J J Q", "J J Q K") == {"J: J", "J: J J"}


def test_under_yoruba_faces_are_built_only_if_they_pair():
    assert builds(Rules(esun=True, yoruba=True), "J J", "J") == set()
    assert builds(Rules(esun=True, yoruba=True, yoruba_faces="pair"), "J J", "J") == {"J: J"}


def test_under_yoruba_no_card_of_a_pile_may_match_the_capturing_card():
    assert builds(Rules(esun=True), "9 10", "A 10") == {"9: A", "9: A 10"}
    assert builds(Rules(esun=True, yoruba=True), "9 10", "A 10") == {"9: A"}


def test_jokers_are_neither_joined_nor_played_nor_kept_for_a_build():
    rules = Rules(esun=True, jokers=2)
    assert builds(rules, "9 10 *", "A *") == {"9: A"}
    assert builds(rules, "9 *", "A") == set()


def test_builds_that_differ_only_in_the_kept_card_are_one_move():
    assert builds(Rules(esun=True), "5 5 10", "5") == {"5: 5"}


def test_a_pile_is_captured_whole_and_is_no_part_of_a_sum():
    rules = Rules(esun=True)
    assert captures(rules, "10", "5", "2 3") == set()
    assert captures(rules, "2", "", "2 3") == set()
    assert captures(rules, "5", "5", "2 3") == {"5: 5", "5:  [0]", "5: 5 [0]"}


@pytest.mark.parametrize(
    ("pile", "falls_to"), [("5 5", "5 10"), ("4 4", "4 8"), ("2 3", "5"), ("9 A 2 8 5 5", "10")]
)
def test_a_pile_falls_to_any_card_that_captures_all_its_cards_together(pile, falls_to):
    fallen = {
        m.card
        for start in ("A 2 3 4", "5 6 7 8", "9 10 J Q")
        for m in moves(Rules(esun=True), start, "", pile)
        if m.kind == "capture"
    }
    assert fallen == set(falls_to.split())


def test_one_card_captures_several_piles_and_loose_cards_in_one_turn():
    found = captures(Rules(esun=True), "10", "A 9", "4 6", "5 5", "A 2")
    assert "10: A 9 [0, 1]" in found
    assert not any("2" in text.partition("[")[2] for text in found)


def test_under_yoruba_pile_cards_obey_the_rule_with_all_else_the_turn_takes():
    rules = Rules(esun=True, yoruba=True)
    found = captures(rules, "10", "4 6 A 9", "4 6", "3 7")
    assert found == {
        "10: 4 6",
        "10: A 9",
        "10: A 4 6 9",
        "10:  [0]",
        "10:  [1]",
        "10:  [0, 1]",
        "10: A 9 [0]",
        "10: A 9 [1]",
        "10: 4 6 [1]",
        "10: A 9 [0, 1]",
        "10: A 4 6 9 [1]",
    }


def test_without_esun_nothing_is_built():
    assert builds(Rules(), "9 10", "A") == set()
