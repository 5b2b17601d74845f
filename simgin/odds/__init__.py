"""The odds a player asks for, alone and against another."""
