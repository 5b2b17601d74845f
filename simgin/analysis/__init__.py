"""Analysis of decisions and deals: action values, error rates, drills and searches."""
