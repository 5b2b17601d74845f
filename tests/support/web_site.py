"""Address and token of the site in the tests of simgin.web."""

TOKEN, PORT = "secret-token", 8123
ADDRESS = f"http://127.0.0.1:{PORT}"
