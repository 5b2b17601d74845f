"""The die (rules.md 8): the stake, its owner, and the legal offers."""


class Die:
    """The die shows the stake, 1 at first, and has no owner. With die = off, it is unused."""

    def __init__(self, row: dict) -> None:
        self.row = row
        self.stake = 1
        self.owner: int | None = None
        self.offered: tuple[int, int] | None = None  # seat and number of the pending offer

    def numbers(self, seat: int, seen: bool) -> range:
        """Return the numbers the seat may offer: blind (8.1) or in play (8.3, 8.4)."""
        unowned = self.row["die_centre_in_play"] if seen else True
        may = self.row["die"] != "off" and (seat == self.owner or (self.owner is None and unowned))
        return range(self.stake + 1, self.row["die_cap"] + 1) if may else range(0)

    def accept(self) -> None:
        """Accept the number as the stake; the accepter then owns the die (rules.md 8.2)."""
        (offerer, self.stake), self.offered = self.offered, None
        self.owner = 1 - offerer

    def refuse(self) -> tuple[int, int]:
        """Return the offering seat and the deals or games a refusal gives it (rules.md 8.2)."""
        (offerer, number), self.offered = self.offered, None
        return offerer, self.stake if self.row["die_refusal_pays"] == "old" else number
