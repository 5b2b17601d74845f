"""The die (rules.md 8): the stake, who owns it, and who may offer which number when."""


class Die:
    """Shows the stake, 1 at first, and belongs to nobody. With die = off it is never offered."""

    def __init__(self, row: dict) -> None:
        self.row = row
        self.stake = 1
        self.owner: int | None = None
        self.offered: tuple[int, int] | None = None  # by whom, which number; until the answer

    def numbers(self, seat: int, seen: bool) -> range:
        """The numbers the seat may offer: before cards are seen (8.1) and in play (8.3, 8.4)."""
        unowned = self.row["die_centre_in_play"] if seen else True
        may = self.row["die"] != "off" and (seat == self.owner or (self.owner is None and unowned))
        return range(self.stake + 1, self.row["die_cap"] + 1) if may else range(0)

    def offer(self, seat: int, number: int, seen: bool) -> None:
        if self.offered is not None or number not in self.numbers(seat, seen):
            raise ValueError(f"seat {seat} may not offer {number}")
        self.offered = (seat, number)

    def accept(self, seat: int) -> None:
        """The stake becomes the number, and the accepter owns the die (rules.md 8.2)."""
        offerer, number = self._answered(seat)
        self.stake, self.owner = number, 1 - offerer

    def refuse(self, seat: int) -> tuple[int, int]:
        """The seat that offered and the won deals (games) a refusal gives it (rules.md 8.2)."""
        offerer, number = self._answered(seat)
        return offerer, self.stake if self.row["die_refusal_pays"] == "old" else number

    def _answered(self, seat: int) -> tuple[int, int]:
        if self.offered is None or self.offered[0] == seat:
            raise ValueError(f"seat {seat} has no offer to answer")
        offer, self.offered = self.offered, None
        return offer
