"""Generate hostile HTTP requests for the server of `simgin web`, as bytes."""

from urllib.parse import quote, quote_from_bytes

EXAMPLE_HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
GAME_FIELDS = {
    "variant": "standard",
    "opponent": "simple",
    "length": "deal",
    "seat": "0",
    "seed": "1",
}
POSITION_FIELDS = {
    "hand": EXAMPLE_HAND,
    "pile": "QD TS 9D* QH",
    "known": "9D",
    "to_move": "draw",
    "worlds": "20",
}
POSITION_FIELDS |= {"strategy": "simple", "opponent": "simple", "variant": "standard", "seed": "1"}
POSITION_FIELDS |= {"score": "20-35", "dealer": "me", "stock": ""}
DICE_POSITION_FIELDS = POSITION_FIELDS | {
    "variant": "dice",
    "stake": "2",
    "owner": "me",
    "die": "offer",
    "blind": "",
}
REVIEW_FIELDS = {"base": "standard", "r1": "oklahoma", "r2": "straight", "title": "T", "note": "N"}
REVIEW_FIELDS |= {
    "seconds": "8",
    "goals": "gin 40..50 %",
    "players": "gold,simple",
    "precision": "quick",
}
COMPARE_FIELDS = {
    "s1": "gold",
    "s2": "simple",
    "variant": "standard",
    "unit": "deals",
    "size": "2k",
}
COMPARE_FIELDS |= {"stop": "until", "until": "0.5%"}
RUN_FIELDS = {"run": "demo", "base": "demo"}
CHART_FIELDS = {"kind": "knock", "variant": "standard", "score": "20-35", "deals": "8k"}
ODDS_FIELDS = {"variant": "solitaire-gin", "deals": "10k"}

# Method, path and query of valid requests. Braces enclose the part that is replaced.
ROUTES = [
    *(("GET", path, {}) for path in ("/", "/results", "/static/{site.js}", "/{nothing}")),
    *(("GET", path, {}) for path in ("/results/{demo}", "/results/demo/files/{report.html}")),
    *(("GET", path, {}) for path in ("/jobs/{JOB}", "/jobs/{JOB}/events", "/jobs/JOB/{x}")),
    *(("POST", path, {}) for path in ("/jobs/{JOB}/cancel", "/jobs/{JOB}/resume")),
    *(("GET", f"/play{path}", GAME_FIELDS) for path in ("", "/state", "/deal.json", "/{x}")),
    *(("GET", f"/play{path}", GAME_FIELDS) for path in ("/decisions/{0}", "/last-decision")),
    *(("POST", f"/play/{path}", GAME_FIELDS) for path in ("{act}", "undo", "next", "restart")),
    *(
        ("GET", "/analyse" + path, board)
        for path in ("", "/costs")
        for board in (POSITION_FIELDS, DICE_POSITION_FIELDS)
    ),
    ("POST", "/analyse/file", {"name": "deal.json"}),
]
for name, fields in (
    *(("review", REVIEW_FIELDS), ("compare", COMPARE_FIELDS), ("compare-runs", RUN_FIELDS)),
    *(("odds", ODDS_FIELDS), ("charts", CHART_FIELDS)),
):
    ROUTES += [("GET", f"/{name}", fields), ("GET", f"/{name}/check", fields)]
    ROUTES += [("POST", f"/{name}", fields)]
STREAM_PATHS = ("/events", "/costs", "/file")

HOSTILE_STRINGS = [
    *("", " ", ".", "..", "../..", "../secret.txt", "../../secret.txt", "/etc/passwd", "~", "-"),
    *("own.py", "mine.py", "mine.toml", "./mine.toml", "mine", "mine.toml#mine", "w.npy"),
    *("MINE.PY", "champion@w.npy", "champion:weights=w.npy", "simple+mine.py", "-rf"),
    *("standard+mine.toml", "results", "results/demo", "demo/../../secret.txt", "ledger.sqlite"),
    *("demo/report.html", "..\\secret.txt", "C:\\mine.toml", "file:///etc/passwd", "http://["),
    *("//example.org/x", "\0", "demo\0.html", "a\r\nX-Evil: 1", "\x1b[2J", "é", "İ", "🂡"),
    *("\u202e", "²", "٣", "½", "+", "=", "&", "nan", "inf", "-inf", "1e400", "1e9", "-1", "0"),
    *("2MM", "0x10", "9" * 30, "9" * 5000, "1_000", "<script>alert(1)</script>", "{{ 7 * 7 }}"),
    *("{0.__class__}", "%s%n", "'", '"', "`id`", "$(id)", "x" * 300, "x" * 5000, "7H " * 400),
    *(
        "simple," * 200,
        "standard+gin_bonus=" + "9" * 400,
        "standard+gin_bonus=1/0",
        "solitaire-gin",
    ),
    *("standard+" * 90, "true", "null", "[]", "__class__"),
]
HOSTILE_BODIES = [
    *(b"", b"{", b"[]", b"null", b"\xff\xfe", b"\0", b'{"key": {}}', b'"\\ud800"', b"-" * 1000),
    *(b"[" * 100_000, b'{"a":' * 50_000, b"9" * 100_000, b"\xef\xbb\xbf{}", b'{"version": NaN}'),
    *(b'{"version": 1e999, "key": []}', b'{"version": "1.0.0", "key": "s"}'),
    *(b'{"version": "1.0.0", "key": "../secret.txt"}', b'{"rows": ' + b"[" * 900),
    *(b"x" * (1 << 20), b"x" * ((1 << 20) + 1)),
]
REQUEST_LINE, HEADER_END = b"GET / HTTP/1.1\r\n", b"\r\n\r\n"
MALFORMED_REQUESTS = [
    *(
        HEADER_END,
        b"GET" + HEADER_END,
        b"GET /" + HEADER_END,
        b"GET / HTTP/9.9" + HEADER_END,
        b"\0" * 100 + HEADER_END,
        REQUEST_LINE,
    ),
    *(
        b"G\xc3\x89T / HTTP/1.1" + HEADER_END,
        b"GET  / HTTP/1.1" + HEADER_END,
        b"\x16\x03\x01\x02\x00\x01",
    ),
    *(
        REQUEST_LINE + b"Host" + HEADER_END,
        REQUEST_LINE + b" folded: 1" + HEADER_END,
        REQUEST_LINE + b"\r\n",
        b"A" * 200_000,
    ),
    *(
        b"PRI * HTTP/2.0\r\n\r\nSM" + HEADER_END,
        b"CONNECT x:1 HTTP/1.1" + HEADER_END,
        b"OPTIONS * HTTP/1.1" + HEADER_END,
    ),
    *(b"GET /" + b"a" * 200_000 + b" HTTP/1.1" + HEADER_END,),
    *(b"GET http://example.org/ HTTP/1.1\r\nHost: example.org" + HEADER_END,),
]
CONTENT_LENGTH, TRANSFER_ENCODING = b"Content-Length: ", b"Transfer-Encoding: "
INVALID_FRAMING_HEADERS = [
    *(
        CONTENT_LENGTH + one
        for one in (b"-1", b"9" * 50, b"x", b"", b"1048577", b"3\r\n" + CONTENT_LENGTH + b"4")
    ),
    *(
        TRANSFER_ENCODING + one
        for one in (b"gzip", b"chunked, chunked", b"chunked\r\n" + CONTENT_LENGTH + b"2")
    ),
]
INVALID_CHUNKED_BODIES = [
    *(b"zz\r\n", b"-1" + HEADER_END, b"f" * 16 + b"\r\n", b"5\r\nab\r\n0" + HEADER_END),
    *(b"0\r\nX: " + b"y" * 9999, b"10000\r\n" + b"x" * 65536 + b"\r\n"),
]
UPGRADE_HEADER = b"Connection: Upgrade\r\nUpgrade: "
HOSTILE_HEADERS = [
    *(b"Cookie: " + b"a=b; " * 5000, b"X-Long: " + b"y" * 100_000, b"X: 1\r\n" * 300 + b"Y: 1"),
    *(b"Accept: application/json", b"Content-Type: \xff", b"Range: bytes=0-9999999999999"),
    *(b"Expect: 100-continue", b"Transfer-Encoding: x", b"X-HTTP-Method-Override: DELETE"),
    *(b"X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: example.org",),
    UPGRADE_HEADER + b"websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13",
    UPGRADE_HEADER + b"h2c\r\nHTTP2-Settings: x",
]


class RequestGenerator:
    """Generator of random hostile requests.

    Args:
        rng: Random generator.
        host: Host header of the server.
        cookie: Cookie with the token.
        job: Name of a job.
    """

    def __init__(self, rng, host, cookie, job):
        self.rng, self.host, self.cookie, self.job = rng, host, cookie, job

    def make_request(self):
        """Return a request, its type, and True if the response is a stream."""
        kind = self.rng.choices(["fields", "body", "bytes", "stranger"], [60, 15, 15, 10])[0]
        if kind == "bytes":
            return self._make_malformed_request(), kind, False
        method, path, query = self.rng.choice(ROUTES)
        if kind == "body":
            method, path, query = self.rng.choice(
                [one for one in ROUTES if one[0] == "POST" and one[1].startswith(("/play", "/an"))]
            )
        elif self.rng.random() < 0.1:
            method = self.rng.choice(["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "é"])
        is_stream = path.endswith(STREAM_PATHS)
        target = self._fill_path(path) + self._make_query(query)
        headers = {"Host": self.host, "Cookie": self.cookie, "Origin": f"http://{self.host}"}
        if kind == "stranger":
            self._forge_header(headers, method)
        lines = [f"{name}: {value}".encode("latin-1") for name, value in headers.items()]
        if self.rng.random() < 0.1:
            lines.append(self.rng.choice(HOSTILE_HEADERS))
        body = self.rng.choice(HOSTILE_BODIES) if method == "POST" else b""
        lines.append(b"Content-Length: %d" % len(body))
        head = [f"{method} {target} HTTP/1.1".encode(), *lines, b"Connection: close"]
        return b"\r\n".join(head) + b"\r\n\r\n" + body, kind, is_stream

    def _forge_header(self, headers, method):
        """Change a header as if another site or a user without the token sent it."""
        changes = [("Cookie", ""), ("Cookie", "simgin-1=x"), ("Cookie", f"{self.cookie}x")]
        changes += [("Host", "example.org"), ("Host", ""), ("Host", "127.0.0.1:1"), ("Host", "é:1")]
        if method == "POST":
            origins = (
                "http://example.org",
                "null",
                "",
                "http://127.0.0.1:1",
                "https://" + self.host,
            )
            changes += [("Origin", origin) for origin in origins]
        name, value = self.rng.choice(changes)
        headers[name] = value

    def _fill_path(self, template):
        """Insert the job in a path, and often a hostile string at the braces."""
        start, brace, rest = template.replace("JOB", self.job).partition("{")
        if not brace:
            return template.replace("JOB", self.job)
        word, _, end = rest.partition("}")
        if self.rng.random() < 0.5:
            word = self._encode(self.rng.choice(HOSTILE_STRINGS), "/")
        return start + word + end

    def _make_query(self, fields):
        """Return a query string in which some values are hostile."""
        values = list(fields.items())
        for _ in range(self.rng.choice([0, 0, 1, 1, 2]) if values else 0):
            place = self.rng.randrange(len(values))
            values[place] = (values[place][0], self.rng.choice(HOSTILE_STRINGS))
            if self.rng.random() < 0.1:
                values.append((self.rng.choice(["token", "x", "variant", "\0"]), "standard"))
        pairs = (f"{quote(name)}={self._encode(value)}" for name, value in values)
        return "?" + "&".join(pairs) if values else ""

    def _encode(self, text, safe=""):
        """Encode a value once, twice, or as bytes that are not UTF-8."""
        way = self.rng.random()
        if way < 0.8:
            return quote(text, safe=safe if way < 0.4 else "")
        return quote(quote(text)) if way < 0.9 else quote_from_bytes(text.encode("utf-16"))

    def _make_malformed_request(self):
        way = self.rng.randrange(4)
        if way == 0:
            return self.rng.choice(MALFORMED_REQUESTS)
        if way == 1:
            return self.rng.randbytes(self.rng.choice([1, 50, 5000])) + b"\r\n\r\n"
        head = f"POST /play/act?seed=1 HTTP/1.1\r\nHost: {self.host}\r\nCookie: {self.cookie}\r\n"
        head += f"Origin: http://{self.host}\r\nConnection: close\r\n"
        if way == 2:
            return head.encode() + self.rng.choice(INVALID_FRAMING_HEADERS) + b"\r\n\r\n{}"
        chunks = self.rng.choice(INVALID_CHUNKED_BODIES) * self.rng.choice([1, 17])
        return head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunks
