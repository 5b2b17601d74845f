"""`simgin web`: web pages to play, analyse, review and compare."""

from __future__ import annotations

from pathlib import Path

import click

from simgin.cli import options
from simgin.cli.output import print_line
from simgin.text.messages import print_status

DEFAULT_RESULTS_DIRECTORY = Path("results")


@click.command("web")
@click.argument("strategies", metavar="[STRATEGY.py]...", nargs=-1, type=options.STRATEGY_TYPE)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port [default: 8642, or the next free port]."
)
@click.option(
    "--results",
    type=options.PATH_TYPE,
    metavar="DIR",
    help="Directory for results [default: results].",
)
@click.option("--no-open", is_flag=True, help="Print the URL without opening a browser.")
def web_command(
    strategies: tuple[str, ...], host: str, port: int | None, results: Path | None, no_open: bool
) -> None:
    """Open web pages to play, analyse hands and see results.

    The pages run on your machine, load nothing from the network, and work in every browser. The
    printed URL contains a secret token. A browser must open this URL once before it can use the
    pages. Press Ctrl-C to stop the server.

    \b
      simgin web
      simgin web mine.py                offer your strategy as an opponent
      simgin web --port 8000 --no-open
    """
    from simgin.cli import config
    from simgin.strategy import loader
    from simgin.web.server import LocalServer, is_local_host

    specs = tuple(loader.find_strategy(strategy).spec for strategy in strategies)
    folder = results or config.find_configured_output("") or DEFAULT_RESULTS_DIRECTORY
    server = LocalServer(folder, specs, host, port)
    if not is_local_host(host):
        print_status(
            f"warning: other machines can reach {host}. The address is not encrypted. "
            "Use --host only in a network that you trust."
        )
    print_line(f"simgin web runs at {server.url}")
    print_line("Press Ctrl-C to stop.")
    if not no_open:
        import webbrowser

        webbrowser.open(server.url)
    server.run()
    print_line("Stopped.")
