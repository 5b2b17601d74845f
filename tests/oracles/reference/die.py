"""Keep the stake and the owner of the die, and list the legal offers (rules.md 8)."""


class Die:
    """Doubling die with a stake and sometimes an owner (rules.md 8)."""

    def __init__(self, params: dict) -> None:
        self.params = params
        self.stake = 1
        self.owner: int | None = None
        self.pending_offer: tuple[int, int] | None = None  # seat and number of the pending offer

    def list_offers(self, seat: int, are_cards_seen: bool) -> range:
        """Return the stakes that a player may offer, blind (8.1) or in play (8.3, 8.4)."""
        may_offer_unowned = self.params["die_centre_in_play"] if are_cards_seen else True
        may_offer = self.params["die"] != "off" and (
            seat == self.owner or (self.owner is None and may_offer_unowned)
        )
        return range(self.stake + 1, self.params["die_cap"] + 1) if may_offer else range(0)

    def accept(self) -> None:
        """Accept the pending offer, which raises the stake and changes the owner (rules.md 8.2)."""
        (offerer, self.stake), self.pending_offer = self.pending_offer, None
        self.owner = 1 - offerer

    def refuse(self) -> tuple[int, int]:
        """Refuse the pending offer, and return the winner and the won stake (rules.md 8.2)."""
        (offerer, number), self.pending_offer = self.pending_offer, None
        return offerer, self.stake if self.params["die_refusal_pays"] == "old" else number
