"""Codes that policies and the engine share: phases of a deal, endings and answers."""

# The questions to a policy
SLOTS = ("take", "discard", "knock", "offer", "answer", "show")

# view.phase
PHASE_UPCARD, PHASE_TURN, PHASE_LAST, PHASE_STOP, PHASE_BLIND = 0, 1, 2, 3, 4

# view.ending; a knock with a count of 0 is gin
NO_ENDING, KNOCK, SHOT, BIG_GIN = 0, 1, 2, 3

# Answers of a take policy
STOCK, TAKE, PASS = 0, 1, 2
