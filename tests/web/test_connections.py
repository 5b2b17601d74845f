"""Tests of clients that send nothing, or only part of a request."""

import json
import socket
import statistics
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest

from simgin.web import connections
from simgin.web.server import MAX_CONNECTIONS
from support.web_site import TOKEN

POSITION_QUERY = (
    "hand=7H 7D 7C 8C 9C TC 4H TD AC 4C KS&strategy=simple&opponent=simple&worlds=200000"
)


def make_incomplete_requests(host_and_port):
    """Return incomplete requests, one of which lacks only its body."""
    host, port = host_and_port
    head = f"POST /play/act?seed=1 HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: http://{host}:{port}"
    head += f"\r\nCookie: simgin-{port}={TOKEN}\r\nContent-Length: 99\r\n\r\n{{"
    return [b"", b"G", b"GET / HTTP/1.1\r\nHost: ", head.encode()]


@pytest.fixture
def host_and_port(address):
    parts = urlsplit(address)
    return parts.hostname, parts.port


def test_silent_clients_do_not_delay_other_clients(address, host_and_port):
    with (
        ExitStack() as open_connections,
        httpx2.Client(base_url=address.partition("?")[0]) as browser,
    ):
        browser.get(address)
        for i in range(MAX_CONNECTIONS - 20):
            connection = open_connections.enter_context(socket.create_connection(host_and_port))
            connection.sendall(make_incomplete_requests(host_and_port)[i % 4])
        times = []
        for _ in range(21):
            started = time.perf_counter()
            assert browser.get("/").status_code == 200
            times.append(time.perf_counter() - started)
    assert statistics.median(times) < 0.1


@pytest.mark.parametrize("request_index", range(4))
def test_connection_with_an_incomplete_request_is_closed(host_and_port, monkeypatch, request_index):
    monkeypatch.setattr(connections, "CHECK_INTERVAL_SECONDS", 0.1)
    with socket.create_connection(host_and_port, timeout=60) as connection:
        connection.sendall(make_incomplete_requests(host_and_port)[request_index])
        while connection.recv(1000):
            pass


def test_connection_with_a_slow_response_is_not_closed(address, monkeypatch):
    monkeypatch.setattr(connections, "CHECK_INTERVAL_SECONDS", 0.005)
    with httpx2.Client(base_url=address.partition("?")[0], timeout=300) as browser:
        browser.get(address)
        started = time.perf_counter()
        lines = browser.get(f"/analyse/costs?{POSITION_QUERY}").text.splitlines()
        assert time.perf_counter() - started > 4 * connections.CHECK_INTERVAL_SECONDS
    assert json.loads(lines[-1])["is_over"]
