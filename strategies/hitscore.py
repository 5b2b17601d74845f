"""Hitscore: keeps the ten cards that most unseen cards would give a meld; otherwise plays like EAAI's Simple.

How to take and when to knock is not recorded with the idea: both are Simple's here. The authors' own player adds a network over both
hands, which is not part of this one. `keep_pairs` never breaks up neighbours of a suit while another discard exists.

Source: S. Truong, T. Neller, A Data-Driven Approach for Gin Rummy Hand Evaluation; sangttruong/ginrummy, 2021.
"""

from simgin_strategies.discard import most_hits
from simgin_strategies.knock import at
from simgin_strategies.take import meld_any

from simgin.strategy import Strategy

HITSCORE = Strategy("hitscore", take=meld_any, discard=most_hits, knock=at)
