"""Who beats whom where everybody meets everybody, and how far one number can say it."""
