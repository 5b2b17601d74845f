"""Print the installed size of the packages that simgin requires."""

from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement


def find_required_packages(name: str) -> set[str]:
    """Return the names of a package and of all packages that it requires in this environment."""
    packages, pending_names = set(), [name]
    while pending_names:
        package = pending_names.pop().lower().replace("_", "-")
        if package not in packages:
            packages.add(package)
            requirements = map(Requirement, metadata.requires(package) or ())
            pending_names += [
                requirement.name
                for requirement in requirements
                if not requirement.marker or requirement.marker.evaluate({"extra": ""})
            ]
    return packages


def compute_installed_bytes(package: str) -> int:
    """Return the total size, in bytes, of the installed files of a package."""
    paths = [Path(file.locate()) for file in metadata.files(package) or ()]
    return sum(path.stat().st_size for path in paths if path.is_file())


if __name__ == "__main__":
    sizes = {
        name: compute_installed_bytes(name)
        for name in find_required_packages("simgin") - {"simgin"}
    }
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        print(f"{name:<20}{sizes[name] / 1e6:7.1f} MB")
    print(f"{len(sizes)} packages      {sum(sizes.values()) / 1e6:7.1f} MB")
