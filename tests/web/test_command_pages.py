"""Tests of the pages with forms for commands: Review, Compare, Odds and Charts."""

import re
import shlex
from pathlib import Path
from urllib.parse import urlencode

import pytest

from simgin.review.review_request import ReviewRequest
from simgin.rules.parameters import load_rule_parameters
from simgin.runs.plan import plan_match
from simgin.web.expected_time import estimate_cpu_seconds, estimate_elapsed_seconds
from simgin.web.jobs import FAILED, FINISHED
from simgin.web.spec_fields import describe_strategy_fields, describe_variant_fields
from support.command_line import run_simgin
from support.web_site import check_page, wait_for_job

UNDERCUT_10_VARIANT = "standard+undercut_bonus=10"


def check_form(browser, page_name, status=200, **form_values):
    """Send the values of a form to the check of a page, and return the JSON response."""
    answer = browser.get(f"/{page_name}/check?{urlencode(form_values)}")
    assert answer.status_code == status, answer.text
    return answer.json()


def read_command_arguments(browser, page_name, **form_values):
    """Return the arguments of the command that a page shows for the values of its form."""
    return shlex.split(check_form(browser, page_name, **form_values)["command"])[1:]


@pytest.mark.parametrize("name", ["review", "compare", "odds", "charts"])
def test_page_shows_the_form_and_the_command_of_its_address(browser, name):
    page = check_page(browser.get(f"/{name}"))
    assert "simgin " in page and 'id="command-form"' in page
    page = check_page(browser.get(f"/{name}?variant=nothing&base=nothing"), 400)
    assert "nothing is not a known variant" in page.replace("&#39;", "")


@pytest.mark.parametrize("path", ["odds", "charts", "compare", "analyse", "play"])
def test_unknown_variant_in_the_address_stays_selected_with_its_error(browser, path):
    page = check_page(browser.get(f"/{path}?variant=standard-gin"), 400)
    assert '<option value="standard-gin" selected>' in page
    message = "'standard-gin' is not a known variant. Did you mean 'standard'?"
    assert message in page.replace("&#39;", "'")


def test_variant_with_changed_rules_stays_selected(browser):
    variant = "standard+gin_bonus=30"
    page = check_page(browser.get("/odds", params={"variant": variant}))
    assert f'<option value="{variant}" selected>' in page


@pytest.mark.parametrize(
    ("page_name", "field"),
    [
        ("charts", "kind"),
        ("review", "precision"),
        ("review", "adapt"),
        ("compare", "layout"),
        ("compare", "unit"),
        ("compare", "stop"),
    ],
)
def test_unknown_option_has_an_error_message(browser, page_name, field):
    errors = check_form(browser, page_name, 400, **{field: "nosuch"})["errors"]
    assert errors == {field: "'nosuch' is not in the list. Choose another option."}


def test_review_command_contains_every_field(browser, site):
    arguments = read_command_arguments(
        browser,
        "review",
        base="oklahoma",
        r1="oklahoma+undercut_bonus=10",
        r3="straight",
        title="Which rules?",
        note="For May.",
        seconds="10",
        goals="gin 40..50 %",
        players="gold, simple",
        precision="deep",
    )
    assert arguments == [
        "review",
        "oklahoma+undercut_bonus=10",
        "straight",
        "--against",
        "oklahoma",
        "--title=Which rules?",
        "--note=For May.",
        "--players=gold,simple",
        "--goals=gin 40..50 %",
        "--seconds-per-turn=10",
        "--deep",
        "-o",
        str(site.results_directory / "review-oklahoma-undercut-bonus=10-straight-against-oklahoma"),
    ]
    assert "--matches=2000" in read_command_arguments(browser, "review", precision="quick")
    assert "ends earlier" in check_form(browser, "review")["notes"][0]
    assert not check_form(browser, "review", precision="quick")["notes"]


@pytest.mark.parametrize(
    ("values", "is_adapted"),
    [
        ({}, False),  # champion knows these rules
        ({"adapt": "yes"}, True),
        ({"r1": "tedesco", "adapt": "yes"}, False),  # champion has weights for these rules
        ({"r1": "race"}, True),
        ({"r1": "race", "adapt": "no"}, False),
        ({"r1": "race", "r2": "pro", "r3": "hollywood", "r4": "twofold"}, False),
        ({"players": "gold,simple"}, False),
        ({"base": "solitaire-gin", "r1": "gin-solitaire"}, False),
    ],
)
def test_review_trains_players_for_few_rule_sets(browser, values, is_adapted):
    answer = check_form(browser, "review", **values)
    assert ("--adapt" in answer["command"].split()) == is_adapted
    assert any("trains a strong player" in note for note in answer["notes"]) == is_adapted
    training_time = "Training takes less than a minute of CPU time per rule set"  # as in the docs
    assert any(training_time in note for note in answer["notes"]) == is_adapted


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        (
            {"r1": "standard+gin_bonus=-1"},
            "r1-gin_bonus",
            "Gin bonus must be a whole number from 0 to 1000",
        ),
        ({"base": "standard+joker_in_hand=x"}, "base-joker_in_hand", "Joker in hand must be one"),
        ({"r2": "standard+gin_bonus=-1+nosuch=1"}, "r2", "'nosuch' is not a rule parameter"),
        ({"r1": "standard"}, "r1", "These are the rules of the baseline"),
        ({"r1": "oklahoma", "r2": "oklahoma"}, "r2", "Another rule set has the same rules"),
        ({"r2": "rules.toml"}, "r2", "is not a built-in variant"),
        ({"seconds": "nan"}, "seconds", "is not a valid duration"),
        ({"goals": "fun"}, "goals", "is not a valid goal"),
        ({"players": "gold"}, "players", "at least two different strategies"),
        ({"players": "gold,gold"}, "players", "at least two different strategies"),
        ({"players": "gold,mine.py"}, "players", "is not a built-in strategy"),
        ({"players": "simple,gold", "adapt": "yes"}, "adapt", "cannot train a strong player"),
        ({"r1": "solitary-gin"}, "form", "Solitaire and two-player variants"),
    ],
)
def test_invalid_review_has_an_error_message_at_the_field(browser, site, values, field, message):
    answer = check_form(browser, "review", 400, **values)
    assert message in answer["errors"][field] and not answer["command"]
    started = browser.post(f"/review?{urlencode(values)}")
    assert started.status_code == 400 and message in started.json()["errors"][field]
    assert not site.jobs.list_jobs()


def test_every_parameter_of_a_variant_has_a_field():
    fields = {
        field["name"]: field for field in describe_variant_fields(UNDERCUT_10_VARIANT)["fields"]
    }
    assert set(load_rule_parameters()) - set(fields) == {"discard_view"}  # without effect
    assert fields["undercut_bonus"]["value"] == "10" and fields["undercut_bonus"]["default"] == "25"
    assert fields["undercut_bonus"]["unit"] == "points" and not fields["undercut_bonus"]["idle"]
    assert "no effect" in fields["shot_deducts"]["idle"]
    assert list(fields)[:2] == ["knock_limit", "knock_by_upcard"]


def test_parameter_is_enabled_if_another_value_requires_it():
    fields = describe_variant_fields("standard+joker=before_deal")["fields"]
    assert [field["idle"] for field in fields if field["name"] == "joker_in_hand"] == [""]


def test_description_of_a_changed_variant_does_not_describe_the_changed_rules():
    about = describe_variant_fields("standard+points_target=150")["about"]
    assert about.startswith("Rules of Standard Gin before the change: Players knock")
    invalid_about = describe_variant_fields("standard+points_target=-1")["about"]
    assert invalid_about.startswith("Players knock")


def test_strategy_fields_contain_its_parameter_values():
    assert {
        field["name"]: (field["value"], field["default"])
        for field in describe_strategy_fields("gold:k=7")["fields"]
    } == {"tie": ("high", "high"), "k": ("7", "10")}
    about = describe_strategy_fields("simple")["about"]
    assert about.endswith(".") and 10 < len(about) < 120 and about.count(". ") == 0
    assert describe_strategy_fields("gold+knock=at:k=4")["fields"] == []
    assert describe_strategy_fields("/x/mine.py", ["/x/mine.py"])["head"] == "/x/mine.py"


@pytest.mark.parametrize(
    ("values", "command"),
    [
        ({}, "match champion marjj-early -v standard --matches 5000"),
        (
            {"s1": "gold:k=7", "s2": "simple", "size": "2k"},
            "match gold:k=7 simple -v standard --matches 2000",
        ),
        (
            {"s1": "gold", "stop": "until", "until": "1%"},
            "match gold marjj-early -v standard --matches 10000000 --until 1%",
        ),
        (
            {"s1": "gold", "s3": "simple", "variant": "oklahoma", "unit": "deals"},
            "league gold marjj-early simple -v oklahoma --deals 100000",
        ),
        (
            {"s1": "gold", "s3": "gold:k=5", "layout": "panel"},
            "match gold marjj-early gold:k=5 --against simple -v standard --matches 5000",
        ),
        (
            {"s1": "solo-greedy", "variant": "gin-solitaire"},
            "match solo-greedy -v gin-solitaire --matches 5000",
        ),
    ],
)
def test_comparison_becomes_a_match_a_panel_or_a_league(browser, values, command):
    assert " ".join(read_command_arguments(browser, "compare", **values)[:-2]) == command


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"s1": "nobody"}, "s1"),
        ({"s1": "gold:k=700"}, "s1-k"),
        ({"s2": "../mine.py"}, "s2"),
        ({"s3": "champion"}, "s3"),
        ({"s1": "gold", "s2": "gold", "s3": "simple"}, "s2"),
        ({"s3": "gold", "layout": "panel", "against": "gold"}, "against"),
        ({"s3": "gold", "layout": "panel", "against": "solo-dp"}, "against"),
        ({"s1": "solo-dp"}, "s1"),
        ({"s1": "champion", "variant": "gin-solitaire"}, "s1"),
        ({"size": "many"}, "size"),
        ({"stop": "until", "until": "90%"}, "until"),
        ({"variant": "x"}, "variant"),
    ],
)
def test_invalid_comparison_has_an_error_message_at_the_field(browser, values, field):
    assert set(check_form(browser, "compare", 400, **values)["errors"]) == {field}


def test_error_states_that_a_strategy_does_not_play_the_variant(browser):
    errors = check_form(browser, "compare", 400, s1="solo-dp")["errors"]
    assert errors["s1"].startswith("'solo-dp' does not play this variant, which has two players.")


def test_comparison_in_a_solitaire_game_has_a_solitaire_strategy(browser):
    arguments = read_command_arguments(browser, "compare", variant="gin-solitaire")
    assert arguments[1].startswith("solo-")
    page = check_page(browser.get("/compare?variant=gin-solitaire%2Bgin_bonus%3D30"))
    assert f'name="s1" value="{arguments[1]}"' in page


def test_misspelled_strategy_has_a_suggestion(browser):
    errors = check_form(browser, "compare", 400, s1="champoin")["errors"]
    assert "Did you mean 'champion'?" in errors["s1"]


def test_odds_and_charts_pages_show_their_commands(browser):
    assert read_command_arguments(browser, "odds", variant="oklahoma", deals="20k")[:-2] == [
        *("odds", "oklahoma", "--deals", "20000")
    ]
    assert read_command_arguments(browser, "charts", kind="upcard", score="60-80")[:-2] == [
        *("chart", "upcard", "-v", "standard", "--score=60-80")
    ]
    assert "score" in check_form(browser, "charts", 400, score="60")["errors"]
    assert "variant" in check_form(browser, "charts", 400, variant="gin-solitaire")["errors"]
    assert "deals" in check_form(browser, "odds", 400, deals="3")["errors"]
    too_few_deals = check_form(browser, "odds", 400, variant="oklahoma", deals="5k")["errors"]
    assert too_few_deals == {"deals": "5,000 deals are too few. Use at least 10,000 deals."}


def test_error_message_of_a_field_does_not_name_an_option(browser):
    errors = check_form(browser, "charts", 400, score="999-3")["errors"]
    assert errors["score"].startswith("'999-3' is not a valid score")
    errors = check_form(browser, "charts", 400, variant="race", score="3-4")["errors"]
    assert errors == {"score": "This variant has no target score. Leave the score empty."}


@pytest.mark.parametrize(
    "values",
    [
        {"variant": "nosuch"},
        {"variant": "standard+nosuch"},
        {"variant": "standard+zzz=1"},
        {"variant": "gin-solitaire"},
        {"variant": "standard+gin_bonus=-1+undercut_bonus=-1"},
    ],
)
def test_error_messages_name_no_command_and_begin_with_a_capital(browser, values):
    message = check_form(browser, "charts", 400, **values)["errors"]["variant"]
    assert "simgin" not in message and "--" not in message and "_" not in message
    assert all(line[0] == "'" or line[0].isupper() for line in message.splitlines())


def test_strategy_file_given_to_the_server_can_be_chosen(browser, site, empty_directory):
    (empty_directory / "mine.py").write_text(
        'from simgin.strategy.author import Strategy\nSTRATEGY = Strategy("mine")\n'
    )
    assert "s1" in check_form(browser, "compare", 400, s1="mine.py")["errors"]
    site.extra_specs = ("mine.py",)
    assert read_command_arguments(browser, "compare", s1="mine.py")[1] == "mine.py"


def test_strategy_file_has_its_name_in_lists_titles_and_directories(browser, site, empty_directory):
    folder = empty_directory / "zwei wörter"
    folder.mkdir()
    path = f"{folder.name}/mein spieler.py"
    Path(path).write_text(
        "from simgin.strategy.author import Strategy\n"
        'STRATEGY = Strategy("mein-spieler", about="Knocks late. Never folds.")\n'
    )
    site.extra_specs = (path,)
    for name in ("compare", "play", "analyse"):
        page = check_page(browser.get(f"/{name}"))
        assert re.search(rf'value="{path}"[^>]*>mein-spieler[,<]', page)
    values = {"s1": path, "s2": "gold", "variant": "standard", "size": "200"}
    assert read_command_arguments(browser, "compare", **values)[-1].endswith(
        "/match-mein-spieler-gold-standard"
    )
    spec_fields = check_form(browser, "compare", **values)["specs"]
    assert spec_fields["s1"]["about"] == "Knocks late." and spec_fields["s1"]["head"] == path
    name = browser.post(f"/compare?{urlencode(values)}").json()["job"]
    assert site.jobs.find_job(name).title == "mein-spieler v gold, standard"
    page = check_page(browser.get("/play", params={"variant": "standard", "opponent": path}))
    assert '<h1 class="game-title">Standard Gin against mein-spieler</h1>' in page


def test_job_writes_the_results_of_the_command(browser, site):
    values = {"s1": "gold", "s2": "simple", "size": "200"}
    command = check_form(browser, "compare", **values)["command"]
    name = browser.post(f"/compare?{urlencode(values)}").json()["job"]
    job = site.jobs.find_job(name)
    assert job.command == command and job.form_address == f"/compare?{urlencode(values)}"
    wait_for_job(job, FINISHED, FAILED)
    assert job.state == FINISHED and job.percent == 100 and "gold" in job.output
    assert {"title", "done", "total", "result"} <= set(job.progress)
    assert job.history[-1]["n"] == 200 and job.history[-1]["players"] == ["gold", "simple"]
    assert browser.get(f"/jobs/{name}").headers["location"] == f"/results/{job.run}"
    assert "-standard-2" in check_form(browser, "compare", **values)["command"]
    run_simgin(*shlex.split(command)[1:-1], "typed")
    written, typed = site.results_directory / job.run / "table.csv", Path("typed/table.csv")
    assert written.read_bytes() == typed.read_bytes()


def test_job_has_the_title_of_its_report(browser, site):
    rules = "standard+knock_limit=7+undercut_bonus=20"
    name = browser.post(f"/review?{urlencode({'r1': rules})}").json()["job"]
    assert site.jobs.find_job(name).title == "Knock limit 7 and undercut bonus 20, or Standard?"
    name = browser.post("/odds?variant=oklahoma").json()["job"]
    assert site.jobs.find_job(name).title == "Odds for oklahoma"
    name = browser.post(f"/review?{urlencode({'r1': rules, 'title': 'Seven?'})}").json()["job"]
    assert site.jobs.find_job(name).title == "Seven?"


def test_long_rule_sets_have_complete_and_different_run_names(browser):
    rules = "standard+knock_limit=7+gin_bonus=30+undercut_bonus=15+box_bonus=20+points_target="
    names = [
        Path(read_command_arguments(browser, "review", r1=f"{rules}{target}")[-1]).name
        for target in (150, 200)
    ]
    assert "points-target=150" in names[0] and "points-target=200" in names[1]


def test_default_review_directory_names_the_rules():
    request = ReviewRequest.read([UNDERCUT_10_VARIANT], "standard")
    assert request.default_directory_name == "review-standard-undercut-bonus=10-against-standard"


def test_players_of_unknown_speed_have_no_expected_time(browser):
    assert check_form(browser, "review")["time"]
    solitaire = {"base": "solitaire-gin", "r1": "gin-solitaire"}
    assert check_form(browser, "review", **solitaire)["time"] is None


def test_expected_time_grows_with_the_size_of_a_plan():
    names = ["champion", "gold"]
    small, large = (
        estimate_cpu_seconds(plan_match(names, "standard", deals=n)) for n in (1_000, 10_000)
    )
    assert large == pytest.approx(10 * small)
    matches = estimate_cpu_seconds(plan_match(names, "standard", matches=1_000))
    assert 3 * small < matches < 10 * small
    until = estimate_cpu_seconds(plan_match(names, "standard", deals=10**7, until="1%"))
    assert small < until < 100 * small
    assert (
        estimate_elapsed_seconds(10, 1.5)
        > estimate_elapsed_seconds(1, 1.5)
        > estimate_elapsed_seconds(1, 1)
        > 0
    )
