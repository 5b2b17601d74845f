"""Compare the random number generator with published vectors and plain Python."""

import random

import numpy as np
import pytest
from scipy.stats import chi2

from simgin.core import rng
from simgin.core.jit import compile_function
from simgin.core.shuffle import deal_next_card, start_shuffle
from simgin.core.state import create_state
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.text.notation import cards_to_mask
from support.plain_philox import compute_philox, compute_random_words

MIN_P_VALUE = 1e-6
PHILOX_VECTORS = (  # counter, key, output: docs/reference/published-results.md#random-numbers
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


def compute_shuffle_in_python(seed, unit, deal):
    """Return a Fisher-Yates shuffle from the top, with one random word per position."""
    pack = list(range(52))
    for i in range(52):
        word = compute_random_words(seed, unit, deal, i // 4, 0)[i % 4]
        j = i + (word * (52 - i) >> 32)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def test_philox_reproduces_published_vectors():
    for counter, key, output in PHILOX_VECTORS:
        words = rng.philox(*(np.uint64(n) for n in (*counter, *key)))
        assert tuple(map(int, words)) == output
        assert compute_philox(counter, key) == output


def test_random_words_agree_with_plain_python():
    """Compare single words and blocks."""
    generator, blocks = random.Random(1), np.zeros(32, np.int64)
    for i in range(2_000):
        seed, unit, deal = (
            generator.getrandbits(64),
            generator.getrandbits(48),
            generator.getrandbits(16),
        )
        index, domain = generator.getrandbits(16), generator.randrange(6)
        signed = seed - (1 << 64) if seed >> 63 else seed
        expected = compute_random_words(seed, unit, deal, index, domain)
        assert rng.generate_random_words(signed, unit, deal, index, domain) == expected
        if i % 7 == 0:
            rng.write_random_blocks(signed, unit, deal, index, domain, blocks)
            for block, words in enumerate(blocks.reshape(4, 8).T.tolist()):
                assert tuple(words) == compute_random_words(seed, unit, deal, index + block, domain)


def test_extreme_words_stay_in_range():
    top = 2**32 - 1
    assert (rng.combine_words(0, 0), rng.combine_words(top, top)) == (0, 2**53 - 1)
    assert rng.combine_words(1, 0) == 2**21 and rng.combine_words(0, top) == 2**21 - 1
    assert [rng.random_below(n, word) for n in (1, 52) for word in (0, top)] == [0, 0, 0, 51]


def write_shuffles(state, first_unit, shuffled_cards):
    """Write the shuffles of consecutive units, drawn card by card as in a deal."""
    for i in range(shuffled_cards.shape[0]):
        state.unit = first_unit + i
        state.dealt = 0
        start_shuffle(state)
        for j in range(52):
            shuffled_cards[i, j] = deal_next_card(state)


_compiled_write_shuffles = []


def compute_shuffles(seed, first_unit, n_units, deal=0):
    """Return the shuffles of consecutive units, (n_units, 52) int64."""
    if not _compiled_write_shuffles:
        _compiled_write_shuffles.append(compile_function(write_shuffles, use_cache=False))
    shuffled_cards = np.zeros((n_units, 52), np.int64)
    state = create_state(seed)
    state.deal = deal
    _compiled_write_shuffles[0](state, first_unit, shuffled_cards)
    return shuffled_cards


@pytest.mark.parametrize(
    "seed, unit, deal",
    [(0, 0, 0), (1, 5, 3), (2**64 - 1, 2**32 - 1, 65535), (7, 2**32, 0), (7, 2**48 - 1, 1)],
)
def test_shuffles_agree_with_plain_python(seed, unit, deal):
    assert compute_shuffles(seed, unit, 1, deal)[0].tolist() == compute_shuffle_in_python(
        seed, unit, deal
    )


def test_cards_are_dealt_alternately_from_the_shuffle():
    """Expect seat 0 to get the first card, regardless of the dealer."""
    matchup = parse_matchup("simple", "gold", "eaai", 2**63 + 9, "match")
    dealers = set()
    for unit, half, deal in [(0, 0, 0), (0, 1, 1), (0, 1, 2), (2**32 + 1, 0, 1), (2**47 + 5, 1, 0)]:
        traced = trace_deal(matchup, unit, half, deal)
        shuffle = compute_shuffle_in_python(matchup.seed, unit, deal)
        dealers.add(int(traced.state.dealer))
        assert traced.hands == (cards_to_mask(shuffle[:20:2]), cards_to_mask(shuffle[1:20:2]))
        assert traced.state.upcard == shuffle[20]
        drawn = [card for _, source, card, _ in traced.turns if source == 0]
        assert drawn == shuffle[21 : 21 + int(sum(traced.state.draws))]
    assert dealers == {0, 1}


@pytest.mark.parametrize("deal", [0, 3])
def test_every_card_is_equally_likely_at_every_position(deal):
    """Apply a chi-square test to the counts of each card at each position."""
    n = 200_000
    shuffles = compute_shuffles(20_240_102, 10**9, n, deal)
    table = np.zeros((52, 52))
    for position in range(52):
        table[position] = np.bincount(shuffles[:, position], minlength=52)
    statistic = ((table - n / 52) ** 2).sum() * 51 / n
    assert chi2.sf(statistic, 51 * 51) > MIN_P_VALUE and chi2.cdf(statistic, 51 * 51) > MIN_P_VALUE


def test_unit_numbers_beyond_32_bits_do_not_wrap():
    """Compare two batches whose unit numbers have the same low 32 bits."""
    matchup = parse_matchup("gold", "gin-only", "standard", 4, "deal")
    first = 1_000 * 2**32
    rows = kernel.play_batches(matchup, first, 2_000)
    assert (rows[1] == kernel.play_batches(matchup, first + 1_000, 1_000)[0]).all()
    assert not (rows[0] == kernel.play_batches(matchup, 0, 1_000)[0]).all()


def test_policy_random_numbers_are_uniform_and_separate():
    """Test uniformity in sixteen bins, and check that the players share no random number."""
    matchup = parse_matchup("random", "random:p_end=0.25", "standard", 11, "deal")
    numbers = {0: [], 1: []}
    for unit in range(150):
        for decision in trace_deal(matchup, unit).decisions:
            numbers[decision.seat].append(int(decision.view.noise))
    assert not set(numbers[0]) & set(numbers[1])
    all_numbers = np.array(numbers[0] + numbers[1])
    assert all_numbers.min() >= 0 and all_numbers.max() < 2**53 and len(all_numbers) > 5_000
    counts = np.bincount(all_numbers >> 49, minlength=16)
    assert chi2.sf(((counts - counts.mean()) ** 2 / counts.mean()).sum(), 15) > MIN_P_VALUE
