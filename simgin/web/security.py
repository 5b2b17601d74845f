"""Protection of the pages against requests from other users and from other sites.

Other users of the machine and other pages in the same browser can reach the port. The server
therefore creates a token when it starts, and responds only to requests with the token.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Awaitable, Callable, Collection

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 1 << 20
SAFE_HTTP_METHODS = ("GET", "HEAD")
TOKEN_PARAMETER = "token"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
NEW_ADDRESS_HINT = (
    "Open the new address that `simgin web` printed when it started. The person who started "
    "simgin can give it to you."
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class BodyTooLargeError(Exception):
    """Exception for a request with a body larger than 1 MiB."""


class SecurityMiddleware:
    """ASGI middleware that rejects unsafe requests and adds security headers.

    Args:
        app: ASGI application to protect.
        token: Secret token of the server.
        port: Port of the server, which must be in the Host header.
        hosts: Host names that are valid in the Host header, in addition to IP addresses.
    """

    def __init__(self, app: ASGIApp, token: str, port: int, hosts: Collection[str]) -> None:
        self._app = app
        self._token = token
        self._port = port
        self._hosts = {"localhost", *(host.lower() for host in hosts)}
        self._cookie = f"simgin-{port}"  # browsers share cookies between all ports of a host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a safe request to the application, or reject an unsafe one."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _add_security_headers(send)
        rejection = self._find_rejection(scope)
        if rejection is not None:
            await rejection(scope, receive, send)
            return
        try:
            await self._app(scope, _limit_body_size(receive), send)
        except BodyTooLargeError:
            await _make_too_large_response()(scope, receive, send)

    def _find_rejection(self, scope: Scope) -> Response | None:
        """Return the response that rejects an unsafe request, or None if the request is safe."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own_host(host):
            return _make_forbidden_response("The Host header names another server.")
        if scope["method"] not in SAFE_HTTP_METHODS and headers.get("origin") != f"http://{host}":
            return _make_forbidden_response("The request comes from another site.")
        query = QueryParams(scope["query_string"])
        sent_token = query.get(TOKEN_PARAMETER)
        if sent_token is not None and scope["method"] == "GET" and self._is_valid_token(sent_token):
            return self._redirect_with_cookie(scope, query)
        if not self._is_valid_token(cookie_parser(headers.get("cookie", "")).get(self._cookie, "")):
            return _make_forbidden_response(NEW_ADDRESS_HINT)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return _make_too_large_response()
        return None

    def _is_own_host(self, header: str) -> bool:
        """Return True if a Host header names this server and its port.

        With DNS rebinding, a page of another site can reach the server under its own domain name,
        but not under an IP address.
        """
        name, separator, port = header.rpartition(":")
        if not separator or port != str(self._port):
            return False
        return name.lower() in self._hosts or _is_ip_address(name.strip("[]"))

    def _is_valid_token(self, candidate: str) -> bool:
        """Return True if a string equals the token, compared in constant time."""
        return secrets.compare_digest(
            candidate.encode("utf-8", "surrogatepass"), self._token.encode()
        )

    def _redirect_with_cookie(self, scope: Scope, query: QueryParams) -> Response:
        """Return a redirect that sets the cookie and removes the token from the address."""
        remaining_query = QueryParams(
            [item for item in query.multi_items() if item[0] != TOKEN_PARAMETER]
        )
        # A path such as //example.org would be interpreted as another host.
        path = "/" + scope.get("raw_path", b"/").decode("latin-1").lstrip("/\\")
        response = RedirectResponse(f"{path}?{remaining_query}" if remaining_query else path, 303)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
        return response


def _is_ip_address(host_name: str) -> bool:
    try:
        ipaddress.ip_address(host_name)
    except ValueError:
        return False
    return True


def _make_forbidden_response(reason: str) -> Response:
    return PlainTextResponse(f"403 Forbidden. {reason}\n", 403)


def _make_too_large_response() -> Response:
    return PlainTextResponse("413 Content Too Large. The maximum is 1 MiB.\n", 413)


def _limit_body_size(receive: Receive) -> Callable[[], Awaitable[Message]]:
    """Return a receive function that raises an error if a body exceeds 1 MiB."""
    n_received = 0

    async def receive_limited() -> Message:
        nonlocal n_received
        message = await receive()
        n_received += len(message.get("body", b""))
        if n_received > MAX_BODY_BYTES:
            raise BodyTooLargeError
        return message

    return receive_limited


def _add_security_headers(send: Send) -> Send:
    """Return a send function that adds security headers to a response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
