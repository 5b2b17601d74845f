"""Analysis of decisions and deals: values of actions, error rates, drills and deal searches."""
