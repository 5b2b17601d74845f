"""Tests of clients that connect and send nothing, or only a part of a request."""

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

BOARD = "hand=7H 7D 7C 8C 9C TC 4H TD AC 4C KS&strategy=simple&opponent=simple&worlds=20000"


def incomplete_requests(place):
    """Return the beginnings of requests, among them one that lacks its body."""
    host, port = place
    head = f"POST /play/act?seed=1 HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: http://{host}:{port}"
    head += f"\r\nCookie: simgin-{port}={TOKEN}\r\nContent-Length: 99\r\n\r\n{{"
    return [b"", b"G", b"GET / HTTP/1.1\r\nHost: ", head.encode()]


@pytest.fixture
def place(address):
    parts = urlsplit(address)
    return parts.hostname, parts.port


def test_silent_clients_do_not_delay_others(address, place):
    with ExitStack() as silent, httpx2.Client(base_url=address.partition("?")[0]) as browser:
        browser.get(address)
        for i in range(MAX_CONNECTIONS - 20):
            connection = silent.enter_context(socket.create_connection(place))
            connection.sendall(incomplete_requests(place)[i % 4])
        times = []
        for _ in range(21):
            began = time.perf_counter()
            assert browser.get("/").status_code == 200
            times.append(time.perf_counter() - began)
    assert statistics.median(times) < 0.1


@pytest.mark.parametrize("number", range(4))
def test_an_incomplete_request_is_closed(place, monkeypatch, number):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.1)
    with socket.create_connection(place, timeout=60) as connection:
        connection.sendall(incomplete_requests(place)[number])
        while connection.recv(1000):
            pass


def test_a_long_answer_is_not_closed(address, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.02)
    with httpx2.Client(base_url=address.partition("?")[0], timeout=300) as browser:
        browser.get(address)
        began = time.perf_counter()
        lines = browser.get(f"/analyse/costs?{BOARD}").text.splitlines()
        assert time.perf_counter() - began > 0.1
    assert json.loads(lines[-1])["is_over"]
