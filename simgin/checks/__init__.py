"""Checks of strategies and of the installation, and the benchmark."""
