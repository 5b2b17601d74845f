"""Connections that the server closes if a client does not complete a request in time."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

REQUEST_SECONDS = 10.0  # minimum time for a request, in seconds; uvicorn would wait forever


class TimedProtocol(H11Protocol):
    """HTTP connection that is closed if it is idle or if its request remains incomplete.

    Without this limit, a program could block the server by opening many connections.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start checking the connection at regular intervals."""
        super().connection_made(transport)
        self._check_later()

    def _check_later(self) -> None:
        self.loop.call_later(REQUEST_SECONDS, self._check, self.cycle)

    def _check(self, earlier: RequestResponseCycle | None) -> None:
        """Close the connection if there is no new request and no response in progress.

        Args:
            earlier: Request at the time of the previous check.
        """
        if self.transport.is_closing():
            return
        is_incomplete = self.conn.their_state is h11.SEND_BODY
        is_answered = self.cycle is None or self.cycle.response_complete
        if self.cycle is earlier and (is_incomplete or is_answered):
            self.transport.close()
        else:
            self._check_later()
