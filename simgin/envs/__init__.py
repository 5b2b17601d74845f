"""Environments for reinforcement learning libraries, and external policies as strategies."""
