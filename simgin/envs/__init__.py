"""Environments for reinforcement learning libraries, and strategies with external policies."""
