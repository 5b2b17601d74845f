"""Environments for reinforcement learning libraries, and strategies that call external policies."""
