"""What people type and read: cards, amounts, TOML files, messages."""
