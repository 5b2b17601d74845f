"""Playing: matchups, the compiled loop, rollouts, and single deals as traces and text."""
