"""The commands of the room `checks`."""
