"""The parameters agree with the table of rules (rules.md 11)."""

from simgin.rules.parameters import parameters
from support.worked_examples import BOOK, STANDARD


def test_parameters_agree_with_the_table_of_rules():
    mine = [(p.name, p.section, p.meaning, p.status) for p in parameters().values()]
    assert mine == [
        (p["name"], p["section"], p["meaning"], p["status"]) for p in BOOK["parameters"]
    ]
    assert list(STANDARD) == list(parameters())


def test_parameters_have_the_types_of_the_table_of_rules():
    words = {"bool": "bool", "pair": "two ints", "table": "list of (up to, games)"}
    for entry in BOOK["parameters"]:
        parameter = parameters()[entry["name"]]
        if parameter.kind == "choice":
            assert ", ".join(map(str, parameter.choices)) == entry["type"]
        elif parameter.kind == "int":
            assert entry["type"] in ("int", f"int {parameter.low}..{parameter.high}", "int or none")
            assert parameter.optional == (entry["type"] == "int or none")
        else:
            assert words[parameter.kind] == entry["type"]


def test_defaults_are_the_variant_standard():
    for name, parameter in parameters().items():
        assert parameter.default == STANDARD[name]
        assert parameter.read(parameter.write(parameter.default)) == parameter.default
        assert parameter.fault(parameter.default) == "" and parameter.fault(parameter.example) == ""


def test_every_dash_of_a_variant_is_justified():
    for parameter in parameters().values():
        for name, values in {**parameter.acts_with, **parameter.idle_with}.items():
            assert all(parameters()[name].fault(value) == "" for value in values)
        assert all(parameter.dash(row) == "" for row in BOOK["variants"].values())
