"""Checks: the strategy contract, tests of the installation, and the benchmark."""
