"""Correctness and health: the strategy contract, worked examples, the doctor, the benchmark."""
