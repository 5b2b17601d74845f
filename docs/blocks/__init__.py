"""Generated blocks of the pages: one module per subject, one function per kind of block."""
