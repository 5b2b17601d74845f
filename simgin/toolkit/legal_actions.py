"""Actions that policies return, and random choices between actions.

Random choices use the random number of the decision, `view.noise`.
"""

from simgin.core import endings
from simgin.core.bits import lowest_bit, nth_bit, popcount
from simgin.core.jit import jit
from simgin.core.rng import generate_random_words, write_random_blocks


@jit
def take_if(should_take, legal):
    """Return the action that takes the card on offer if requested, or else passes or draws.

    Args:
        should_take: True to take the card on offer.
        legal: `view.legal`.

    Returns:
        1 to take the card, 2 to pass, or 0 to draw from the stock. If the player can only take or
        pass, 0 means to pass.

    Example:
        Take the card on offer if it makes a meld::

            take_if(makes_meld(view.hand, view.taken_offer, rules), view.legal)
    """
    if should_take:
        return 1
    return 2 if legal & 4 else 0


@jit
def is_gin_or_better(view):
    """Return True if the ending proposed to a knock policy is gin, a shot or big gin.

    Args:
        view: View of the player.

    Example:
        Knock with at most 5 points of deadwood, and always go gin::

            is_gin_or_better(view) or view.ending_count <= 5
    """
    return view.ending_count == 0 or view.ending >= 2


@jit
def legal_discards(view, rules):
    """Return the discards that are legal if the deal continues, for use in knock policies.

    In a knock policy, `view.legal` contains the actions 0 and 1 instead of discards.

    Args:
        view: View of the player, with eleven cards.
        rules: Rules of the variant.

    Returns:
        Mask of the cards that may be discarded.

    Example:
        Compute the deadwood if the player declines to knock::

            best_discards(view.hand, legal_discards(view, rules), rules)[0]
    """
    return endings.find_permitted_discards(view.hand, view.taken, view.drawn, rules)


@jit
def pick_random(cards, noise):
    """Return a random card from a mask of cards.

    Args:
        cards: Cards to choose from, as a non-empty 52-bit mask.
        noise: `view.noise` in a policy that is declared with `noise=True`.

    Returns:
        A card, 0 to 51. All cards of the set are equally likely.

    Example:
        Discard a random legal card::

            pick_random(view.legal, view.noise)
    """
    if cards & (cards - 1) == 0:
        return lowest_bit(cards)
    return nth_bit(cards, (noise * popcount(cards)) >> 53)


@jit
def bernoulli(p, noise):
    """Return True with probability p.

    Args:
        p: Probability, 0 to 1.
        noise: `view.noise` in a policy that is declared with `noise=True`.

    Example:
        Knock with probability 0.3::

            bernoulli(0.3, view.noise)
    """
    return noise < p * 9007199254740992.0


@jit
def next_random_word(noise, stream):
    """Return a random 32-bit word, for policies that need several random numbers.

    Args:
        noise: `view.noise` in a policy that is declared with `noise=True`.
        stream: State of the generator, (33,) int64, which must be zero before the first call. If
            only a few numbers are needed, a state of (9,) int64 yields the same words.

    Returns:
        Random integer, 0 to 2**32 - 1.

    Example:
        Roll two dice::

            stream = np.zeros(33, np.int64)
            first = 1 + random_below(6, next_random_word(view.noise, stream))
            second = 1 + random_below(6, next_random_word(view.noise, stream))
    """
    if len(stream) == 33:
        word_index = stream[32]
        if word_index & 31 == 0:
            write_random_blocks(noise, 0, 0, word_index >> 2, 0, stream)
        stream[32] = word_index + 1
        block, word = word_index >> 2 & 7, word_index & 3
        return stream[8 * word + block]
    word_index = stream[8]
    if word_index & 3 == 0:
        stream[0], stream[1], stream[2], stream[3] = generate_random_words(
            noise, 0, 0, word_index >> 2, 0
        )
    stream[8] = word_index + 1
    return stream[word_index & 3]
