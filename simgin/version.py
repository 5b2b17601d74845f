"""The installed version."""


def version() -> str:
    """The version that is installed, `0+source` where simgin runs without having been installed."""
    from importlib import metadata

    try:
        return metadata.version("simgin")
    except metadata.PackageNotFoundError:
        return "0+source"
