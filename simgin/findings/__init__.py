"""The results of a run: tables, sentences, pictures, report."""
