"""Search for parameters, training of weights, and adaptation of `champion` to variants."""
