"""Gold: takes only what lowers the count, throws for least deadwood (ties.

The dearest card), knocks at once.

The variants differ in when they end the deal. `gold-early` is the strong and cheap opponent: it
ends early or waits for gin.

Source: The baseline of Kelidari, Haghi and Salmani (Nikelroid/adversarial-coevolution) and of
jdh8/gin-rummy-engine.
"""

from simgin_strategies.discard import low
from simgin_strategies.knock import at, early
from simgin_strategies.take import lower

from simgin.strategy import Strategy

GOLD = Strategy("gold", take=lower, discard=low, knock=at)
GOLD_AT = Strategy(
    "gold-at",
    take=lower,
    discard=low,
    knock=at(k=4),
    about="Gold that knocks with k or less, four unless told otherwise.",
)
GIN_ONLY = Strategy(
    "gin-only", take=lower, discard=low, knock=at(k=0), about="Gold that waits for gin."
)
GOLD_EARLY = Strategy(
    "gold-early",
    take=lower,
    discard=low,
    knock=early,
    about="Gold that knocks in its first k turns, five unless told otherwise, and then waits for gin.",
    source="The knock rule of MARJJ (Ahmed et al., EAAI-21) and, learned, of Goldstein et al. (EAAI-21).",
)
