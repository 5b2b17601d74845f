"""Search for parameters, train weights, and adapt champion to variants."""
