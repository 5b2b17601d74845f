"""Tests that only clients with the token can use the pages."""

import asyncio

import pytest

from simgin.web.app import create_app
from support.web_site import ADDRESS, PORT, TOKEN

PROTECTED_PATHS = (
    "/ /play /jobs/ /static/ /static/site.js /jobs/x/events /jobs/x/cancel /review /review/check "
    "/compare /compare/check /odds/check /charts/check /results /results/x /results/x/files/ "
    "/compare-runs"
).split()


def test_token_is_moved_from_the_address_to_a_strict_cookie(unauthorized_client):
    answer = unauthorized_client.get(f"/?token={TOKEN}&seed=7")
    assert answer.status_code == 303 and answer.headers["location"] == "/?seed=7"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert unauthorized_client.get("/").status_code == 200


def test_redirect_never_leaves_the_server(unauthorized_client):
    for path in ("//example.org/", "/\\example.org/", "///example.org"):
        answer = unauthorized_client.get(f"{ADDRESS}{path}?token={TOKEN}")
        assert answer.headers["location"] == "/" + path.lstrip("/\\")


@pytest.mark.parametrize("path", PROTECTED_PATHS)
def test_client_without_the_token_is_rejected(unauthorized_client, path):
    assert unauthorized_client.get(path).status_code == 403
    assert unauthorized_client.get(f"{path}?token=wrong").status_code == 403
    unauthorized_client.cookies.set(f"simgin-{PORT}", "wrong")
    answer = unauthorized_client.get(path)
    assert answer.status_code == 403 and "Open the new address" in answer.text


@pytest.mark.parametrize(
    "host", ["example.org", f"example.org:{PORT}", "127.0.0.1", "127.0.0.1:1", "", f"x@:{PORT}"]
)
def test_request_for_another_host_is_rejected(browser, host):
    assert browser.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"127.0.0.1:{PORT}", f"[::1]:{PORT}"])
def test_host_names_of_this_machine_are_accepted(browser, host):
    cookie = f"simgin-{PORT}={TOKEN}"
    assert browser.get("/", headers={"Host": host, "Cookie": cookie}).status_code == 200


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://127.0.0.1:8123", ""])
def test_post_request_from_another_site_is_rejected(browser, origin):
    answer = browser.post("/jobs/x/cancel", headers={"Origin": origin})
    assert answer.status_code == 403
    del browser.headers["Origin"]
    assert browser.post("/jobs/x/cancel").status_code == 403


def test_large_bodies_are_rejected(browser):
    assert browser.post("/jobs/x/cancel", content=b"x" * (1 << 20)).status_code == 400
    assert browser.post("/jobs/x/cancel", content=b"x" * ((1 << 20) + 1)).status_code == 413


def test_disconnect_during_a_request_causes_no_error(browser, site):
    app = create_app(site, TOKEN, PORT)
    sent = []

    async def receive_disconnect():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    headers = {"host": f"127.0.0.1:{PORT}", "origin": ADDRESS, "cookie": f"simgin-{PORT}={TOKEN}"}
    scope = {"type": "http", "method": "POST", "path": "/analyse/file", "query_string": b""}
    scope["headers"] = [(name.encode(), text.encode()) for name, text in headers.items()]
    asyncio.run(
        app(scope, receive_disconnect, send)
    )  # an exception would be printed in the terminal
    assert sent[0]["status"] == 400


def test_every_response_forbids_external_and_inline_scripts(browser):
    for path in ("/", "/nothing", "/static/site.js"):
        headers = browser.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy
        assert "unsafe" not in policy and headers["x-content-type-options"] == "nosniff"
