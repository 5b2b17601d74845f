"""Codes shared by policies and the engine: policy slots, phases, endings and actions."""

# Policy slots, one for each type of decision
SLOTS = ("take", "discard", "knock", "offer", "answer", "show")

# Values of view.phase
PHASE_UPCARD, PHASE_TURN, PHASE_LAST, PHASE_STOP, PHASE_BLIND = 0, 1, 2, 3, 4

# Values of view.ending, which are ways to end a deal. A knock with 0 deadwood is gin.
ENDING_NONE, ENDING_KNOCK, ENDING_SHOT, ENDING_BIG_GIN = 0, 1, 2, 3

# Actions of a take policy
ACTION_STOCK, ACTION_TAKE, ACTION_PASS = 0, 1, 2
