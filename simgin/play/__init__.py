"""Matchups played in the compiled loop, rollouts, and single deals as traces and text."""
