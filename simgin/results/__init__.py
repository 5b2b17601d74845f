"""Results of a run, with tables, sentences, plots and the report."""
