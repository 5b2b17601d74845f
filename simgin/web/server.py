"""Web server that listens on a local port."""

from __future__ import annotations

import ipaddress
import logging
import os
import secrets
import socket
import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from simgin.text.messages import SimginError
from simgin.web.app import Site, create_app
from simgin.web.connections import IdleTimeoutProtocol
from simgin.web.expected_time import measure_relative_cpu_time
from simgin.web.games import GameRequest, OpenGame
from simgin.web.jobs import JobQueue
from simgin.web.pages import Form
from simgin.web.security import TOKEN_PARAMETER

LOCAL_HOST = "127.0.0.1"
# Ports that are tried in this order if the user does not choose a port. If the port is the same
# after a restart, bookmarks and open tabs work again once the user has opened the new address.
DEFAULT_PORTS = (*range(8642, 8647), 0)
MAX_CONNECTIONS = 200
KEEP_ALIVE_TIMEOUT_SECONDS, SHUTDOWN_TIMEOUT_SECONDS = 5, 2


class ServerError(SimginError):
    """Exception for a server that cannot be started."""


class LocalServer:
    """Local web server whose pages require a random token.

    Args:
        results_directory: Directory for results.
        extra_specs: Specs of the strategies that the pages offer in addition to the built-in
            strategies.
        host: Address to listen on.
        port: Port to listen on, 0 for any free port, or None for the first free port in
            `DEFAULT_PORTS`.

    Raises:
        ServerError: If the address or the port cannot be used.
    """

    def __init__(
        self,
        results_directory: Path,
        extra_specs: tuple[str, ...],
        host: str = LOCAL_HOST,
        port: int | None = None,
    ) -> None:
        self._host = host
        self._socket = (
            listen_at_default_port(host) if port is None else _open_listening_socket(host, port)
        )
        self._token = secrets.token_urlsafe(24)
        self._site = Site(results_directory, JobQueue(results_directory), extra_specs)

    @property
    def port(self) -> int:
        """Port on which the server listens."""
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        """Address of the home page, including the token."""
        host = self._socket.getsockname()[0]
        if ipaddress.ip_address(host).is_unspecified:
            host = LOCAL_HOST
        url_host = f"[{host}]" if ":" in host else host
        return f"http://{url_host}:{self.port}/?{urlencode({TOKEN_PARAMETER: self._token})}"

    def run(self) -> None:
        """Serve requests until Ctrl-C, then interrupt the running job."""
        app = create_app(self._site, self._token, self.port, [self._host, socket.gethostname()])
        config = uvicorn.Config(
            app,
            http=IdleTimeoutProtocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_TIMEOUT_SECONDS,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_SECONDS,
        )
        server = uvicorn.Server(config)
        # After Ctrl-C, uvicorn would print a traceback for each request that it cancels.
        logging.getLogger("uvicorn.error").addFilter(lambda _: not server.should_exit)
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
        try:
            server.run(sockets=[self._socket])
        except KeyboardInterrupt:
            pass
        finally:
            self._site.jobs.close()

    def _warm_up(self) -> None:
        """Load or compile the code for the default game, and measure the machine's speed."""
        OpenGame(GameRequest.read(Form({}), ()))
        self._site.relative_cpu_time = measure_relative_cpu_time()


def is_local_host(host: str) -> bool:
    """Return True if an address is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen_at_default_port(host: str) -> socket.socket:
    """Return a socket that listens at the first free port in `DEFAULT_PORTS`."""
    for port in DEFAULT_PORTS[:-1]:
        with suppress(ServerError):
            return _open_listening_socket(host, port)
    return _open_listening_socket(host, DEFAULT_PORTS[-1])


def _open_listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address and a port."""
    try:
        family, socket_type, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, socket_type, protocol)
        if os.name == "posix":  # On Windows, two servers could share a port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ServerError(
            f"port {port} of {host} cannot be used ({reason}). Choose another --port or --host."
        ) from None
    return listener
