"""Is it right, and is it well: the strategy contract, worked examples, the doctor, the bench."""
