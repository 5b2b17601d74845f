"""Write the drill that simgin includes, which is `simgin drill` with its default options."""

import json

from simgin.analysis import drill


def main() -> None:
    """Search for the exercises of the drill, and write them to their file (about one minute)."""
    result = drill.run_drill(drill.DrillRequest.read("standard"))
    contents = drill.build_drill_contents(result) | {"records": result.records()}
    text = json.dumps(contents, ensure_ascii=False, indent=1)
    drill.INCLUDED_DRILL_FILE.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
