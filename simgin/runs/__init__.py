"""Planning, execution and storage of runs."""
