"""Checks of strategies, checks of the installation, and the benchmark."""
