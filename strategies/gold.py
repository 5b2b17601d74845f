"""Gold: takes cards that lower its deadwood, keeps the least deadwood, and knocks immediately.

Ties between discards go to the card with the highest value, then to the lowest number. The
strategies in this file differ in when they end the deal. `gold-early`, which knocks early or waits
for gin, is strong and fast.

Source: The baseline of Kelidari, Haghi and Salmani (Nikelroid/adversarial-coevolution) and of
jdh8/gin-rummy-engine.
"""

from simgin_strategies.discard import discard_for_least_deadwood
from simgin_strategies.knock import knock_early, knock_with_limit
from simgin_strategies.take import take_to_lower_deadwood

from simgin.strategy import Strategy

GOLD = Strategy(
    "gold", take=take_to_lower_deadwood, discard=discard_for_least_deadwood, knock=knock_with_limit
)
GOLD_AT = Strategy(
    "gold-at",
    take=take_to_lower_deadwood,
    discard=discard_for_least_deadwood,
    knock=knock_with_limit(k=4),
    about="Plays like gold, but knocks only with k or fewer points of deadwood (default: four).",
)
GIN_ONLY = Strategy(
    "gin-only",
    take=take_to_lower_deadwood,
    discard=discard_for_least_deadwood,
    knock=knock_with_limit(k=0),
    about="Plays like gold, but waits for gin.",
)
GOLD_EARLY = Strategy(
    "gold-early",
    take=take_to_lower_deadwood,
    discard=discard_for_least_deadwood,
    knock=knock_early,
    about="Plays like gold, but waits for gin after its first k turns (default: five).",
    source="Knock rule of MARJJ (Ahmed et al.), also learned by Goldstein et al. (both EAAI-21).",
)
