"""Correctness and health: the strategy contract, the doctor, the benchmark."""
