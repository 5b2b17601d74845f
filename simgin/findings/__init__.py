"""What came of a run: tables, sentences, pictures, report."""
