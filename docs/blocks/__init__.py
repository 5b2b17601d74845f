"""What docs/make.py writes into pages: one module per subject, one function per kind of block."""
