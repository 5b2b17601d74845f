"""HTTP connections that the server closes if a request is not completed in time."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

CHECK_INTERVAL_SECONDS = 10.0  # time between two checks, in seconds; uvicorn would wait forever


class IdleTimeoutProtocol(H11Protocol):
    """HTTP connection that is closed if it is idle or its request remains incomplete.

    Without this limit, a program could block the server by opening many connections.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to check the connection at regular intervals."""
        super().connection_made(transport)
        self._schedule_check()

    def _schedule_check(self) -> None:
        self.loop.call_later(CHECK_INTERVAL_SECONDS, self._close_if_idle, self.cycle)

    def _close_if_idle(self, previous_request: RequestResponseCycle | None) -> None:
        """Close the connection if nothing has happened since the previous check.

        Args:
            previous_request: Request at the time of the previous check.
        """
        if self.transport.is_closing():
            return
        is_incomplete = self.conn.their_state is h11.SEND_BODY
        is_answered = self.cycle is None or self.cycle.response_complete
        if self.cycle is previous_request and (is_incomplete or is_answered):
            self.transport.close()
        else:
            self._schedule_check()
