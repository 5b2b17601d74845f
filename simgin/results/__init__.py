"""Results of a run: tables, sentences, plots and the report."""
