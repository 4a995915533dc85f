"""The twin's chance: published vectors, and that an address alone decides every draw."""

from collections import Counter

import pytest

from sim.cards import INDEX, JOKER, fresh_pack, pack
from sim.reference.chance import bounded, deck_check, draws, noise, shuffled, with_jokers
from sim.reference.philox import philox

ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((ONES,) * 4, (ONES, ONES), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_published_vectors(counter, key, expected):
    assert " ".join(f"{word:08x}" for word in philox(counter, key)) == expected


def test_a_bounded_draw_spreads_the_word_over_the_range():
    assert [bounded(word, 48) for word in (0, ONES, 1 << 31)] == [0, 47, 24]


@pytest.mark.parametrize("deal", [0, 7, 1 << 33])
def test_a_shuffle_keeps_the_48_cards(deal):
    assert Counter(shuffled(1960, deal, 0)) == Counter(fresh_pack())


def test_seed_deal_and_round_each_change_the_deck_in_all_their_bits():
    addresses = [(1, 2, 3), (1 | 1 << 32, 2, 3), (1, 2 | 1 << 32, 3), (1, 2, 4), (1, 3, 3)]
    decks = {tuple(shuffled(*address)) for address in addresses}
    assert len(decks) == len(addresses)


def test_the_first_card_of_the_deck_is_uniform():
    """Chi-squared over 13 ranks, 2,000 decks; 32.9 is exceeded once in a thousand (12 df)."""
    decks = 2000
    firsts = Counter(shuffled(1960, deal, 0)[0] for deal in range(decks))
    in_pack = Counter(fresh_pack())
    expected = {rank: decks * n / 48 for rank, n in in_pack.items()}
    assert sum((firsts[r] - e) ** 2 / e for r, e in expected.items()) < 32.9


@pytest.mark.parametrize("deal", range(30))
def test_a_joker_changes_one_slot_whose_card_moves_to_the_end(deal):
    plain = shuffled(1960, deal, 1)
    one = with_jokers(plain, 1, 1960, deal, 1)
    two = with_jokers(plain, 2, 1960, deal, 1)
    for before, after in ((plain, one), (one, two)):
        moved = [i for i, card in enumerate(before) if after[i] != card]
        assert len(after) == len(before) + 1
        assert len(moved) <= 1
        slot = moved[0] if moved else len(before)
        assert after[slot] == JOKER
        assert [*before, JOKER][slot] == after[-1]


def test_a_joker_reaches_every_slot_the_new_one_too():
    slots = {with_jokers(["A"] * 48, 1, 1960, deal, 0).index(JOKER) for deal in range(600)}
    assert slots == set(range(49))


def test_the_deck_check_is_the_crc_of_the_ranks():
    """CRC-32 of 123456789 is cbf43926 in the catalogues, and each rank is one byte here."""
    assert deck_check([]) == 0
    assert deck_check(["A", "2"]) == deck_check(["A", "2"]) != deck_check(["2", "A"])
    crc = 0xFFFFFFFF
    cards = shuffled(1960, 5, 0)
    for card in cards:
        crc ^= INDEX[card]
        for _ in range(8):
            crc = crc >> 1 ^ 0xEDB88320 * (crc & 1)
    assert deck_check(cards) == crc ^ 0xFFFFFFFF


def test_every_turn_of_a_round_has_noise_of_its_own():
    words = [noise(1960, 3, round_, turn) for round_ in range(4) for turn in range(50)]
    assert len(set(words)) == len(words)
    assert all(0 <= word < 1 << 32 for word in words)


def test_noise_and_deck_share_no_words():
    deck = draws(1960, 3, 1, 0)
    assert not {next(deck) for _ in range(48)} & {noise(1960, 3, 0, turn) for turn in range(48)}


def test_the_pack_is_full():
    assert pack(shuffled(1, 1, 1)) == pack(fresh_pack())
