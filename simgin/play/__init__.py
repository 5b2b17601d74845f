"""Play of matchups in the compiled loop, rollouts, and single deals as traces and as text."""
