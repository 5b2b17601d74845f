"""Tests of jobs: progress, cancelling, resuming, errors and restarts of the server."""

import json

import pytest

from simgin.web.jobs import (
    CANCELLED,
    FAILED,
    FINISHED,
    INTERRUPTED,
    MAX_OPEN_JOBS,
    JobError,
    JobQueue,
    _append_chart_point,
)
from support.web_site import check_page, wait_for_job, wait_until

SHORT_MATCH_ARGUMENTS = ["match", "gold", "simple", "--deals", "200"]


def make_match_arguments(site, run_name, deals):
    """Return the arguments of a match that writes the given run directory."""
    return [*SHORT_MATCH_ARGUMENTS[:-1], deals, "-o", str(site.results_directory / run_name)]


def cancel_job(site, *arguments):
    """Create a job with the given arguments of `enqueue`, and cancel it before it can end."""
    return site.jobs.cancel(site.jobs.enqueue(*arguments).name)


def test_job_with_invalid_input_shows_its_error_and_form_instead_of_resuming(site, browser):
    address = "/compare?s1=gold&s2=nobody"
    job = site.jobs.enqueue(["match", "gold", "nobody"], "a mistake", "mine", address)
    wait_for_job(job, FAILED)
    assert job.exit_code == 2 and not job.can_resume and job.can_change
    assert browser.post(f"/jobs/{job.name}/resume").status_code == 400
    link = f'href="{address.replace("&", "&amp;")}">Change the settings</a>'
    assert link in check_page(browser.get(f"/jobs/{job.name}"))
    results = check_page(browser.get("/results"))
    assert link in results and "data-resume" not in results
    assert job.error.startswith("'nobody' is not")
    for job.form_address in (address, ""):
        assert job.error.replace("'", "&#39;") in browser.get(f"/jobs/{job.name}").text


def test_job_that_failed_because_of_the_system_can_be_resumed(site):
    job = cancel_job(site, ["cite"], "a full disk", "", "/compare")
    job.state, job.exit_code = FAILED, 2
    job.messages = ["simgin: error: results cannot be read or written (No space left). Check it."]
    assert job.can_resume and not job.can_change


def test_job_file_of_an_earlier_version_is_read(site, empty_directory):
    job = cancel_job(site, ["cite"], "a short job")
    (file,) = (empty_directory / "data/jobs").glob("*/*.json")
    contents = json.loads(file.read_text())
    del contents["form_address"], contents["exit_code"]
    file.write_text(json.dumps(contents))
    restarted_queue = JobQueue(site.results_directory)
    assert restarted_queue.find_job(job.name).form_address == ""
    restarted_queue.close()


def test_job_is_cancelled_resumed_and_finished(site, browser):
    job = site.jobs.enqueue(make_match_arguments(site, "mine", "4M"), "long", "mine")
    wait_until(lambda: job.progress.get("done"))
    assert browser.post(f"/jobs/{job.name}/cancel").json()["state"] == CANCELLED
    second = site.jobs.enqueue(["cite"], "next")
    wait_for_job(second, FINISHED)
    assert (site.results_directory / "mine/ledger.sqlite").exists()
    assert browser.post(f"/jobs/{job.name}/cancel").status_code == 400
    job.words[4] = "200"  # fewer deals than the first try has played
    assert browser.post(f"/jobs/{job.name}/resume").status_code == 200
    wait_for_job(job, FINISHED, FAILED)
    assert job.state == FINISHED


def test_resumed_job_has_no_messages_of_the_cancelled_run(site):
    job = site.jobs.enqueue(make_match_arguments(site, "mine", "40M"), "long", "mine")
    wait_until(lambda: job.progress.get("done"))
    site.jobs.cancel(job.name)
    site.jobs.resume(job.name)
    wait_for_job(job, "running")
    assert not any("interrupted" in message for message in job.messages)
    site.jobs.cancel(job.name)


def test_server_sends_events_until_a_job_ends(site, browser):
    job = site.jobs.enqueue(SHORT_MATCH_ARGUMENTS, "short")
    text = browser.get(f"/jobs/{job.name}/events").text
    states = [json.loads(line[6:])["state"] for line in text.splitlines() if line[:1] == "d"]
    assert states[-1] == FINISHED


def test_open_jobs_are_listed_as_interrupted_after_a_restart(site):
    first = site.jobs.enqueue(make_match_arguments(site, "mine", "40M"), "long", "mine")
    waiting = site.jobs.enqueue(SHORT_MATCH_ARGUMENTS, "next")
    wait_for_job(first, "running")
    site.jobs.close()
    restarted_queue = JobQueue(site.results_directory)
    try:
        assert {job.name: job.state for job in restarted_queue.list_jobs()} == {
            first.name: INTERRUPTED,
            waiting.name: INTERRUPTED,
        }
        wait_for_job(restarted_queue.resume(waiting.name), FINISHED, FAILED)
        assert restarted_queue.find_job(waiting.name).state == FINISHED
    finally:
        restarted_queue.close()


def test_number_of_open_jobs_is_limited(site):
    for number in range(MAX_OPEN_JOBS):
        site.jobs.enqueue(make_match_arguments(site, f"run-{number}", "40M"), "long")
    with pytest.raises(JobError, match="20 jobs are waiting"):
        site.jobs.enqueue(["doctor"], "one more")
    for job in site.jobs.list_jobs():
        site.jobs.cancel(job.name)


def test_corrupt_job_files_are_ignored(site, empty_directory):
    job = cancel_job(site, ["cite"], "a short job")
    (folder,) = (empty_directory / "data/jobs").iterdir()
    (folder / "bad.json").write_text('{"name": 1}')
    (folder / "worse.json").write_bytes(b"\xff")
    restarted_queue = JobQueue(site.results_directory)
    assert [restored_job.name for restored_job in restarted_queue.list_jobs()] == [job.name]
    restarted_queue.close()


def test_new_run_name_is_not_used_by_runs_or_jobs(site):
    (site.results_directory / "review").mkdir(parents=True)
    assert site.jobs.find_unused_run_name("review") == "review-2"
    site.jobs.enqueue(["doctor"], "reserves the name", "review-2")
    assert site.jobs.find_unused_run_name("review") == "review-3"


def test_identical_command_reuses_the_open_job(site, browser):
    values = "s1=gold&s2=simple&size=40M"
    first, second = (browser.post(f"/compare?{values}").json()["job"] for _ in range(2))
    assert first == second and len(site.jobs.list_jobs()) == 1
    job = site.jobs.find_job(first)
    assert job.words[-1] == str(site.results_directory / job.run)
    site.jobs.cancel(first)
    assert browser.post(f"/compare?{values}").json()["job"] != first


def test_run_of_an_open_job_is_not_shown_as_interrupted(site, browser):
    job = site.jobs.enqueue(make_match_arguments(site, "mine", "40M"), "long", "mine")
    wait_until((site.results_directory / "mine/ledger.sqlite").exists)
    for address in ("/", "/results"):
        page = browser.get(address).text
        assert f'href="/jobs/{job.name}"' in page
        assert "running" in page and "interrupted" not in page
    assert browser.get("/results/mine").headers["location"] == f"/jobs/{job.name}"
    assert browser.get("/").text.count("state running") == 1
    site.jobs.cancel(job.name)
    assert "cancelled" in browser.get("/results").text


def test_unfinished_job_without_a_directory_can_be_resumed(site, browser):
    job = site.jobs.enqueue(["odds", "standard", "-o", "x"], "Odds", "odds")
    site.jobs.cancel(job.name)
    assert f'data-resume="{job.name}"' in check_page(browser.get("/results"))
    assert check_page(browser.get("/")).count("state cancelled") == 1


def test_chart_has_few_points_but_keeps_the_last_one():
    history = []
    for matchup in (0, 1):
        for n in (*range(100, 200_000, 100), 150_000):
            history = _append_chart_point(history, {"matchup": matchup, "n": n})
    points = [(point["matchup"], point["n"]) for point in history]
    assert len(points) < 500 and points == sorted(set(points))
    assert (0, 150_000) in points and points[-1] == (1, 150_000)


def test_scorecard_is_shown_until_a_newer_one_arrives(site):
    job = site.jobs.enqueue(["doctor"], "a job")
    for table in ({"headings": ["a"], "rows": []}, None):
        fields = {"title": "review", "done": 1, "total": 2, "result": "", "table": table}
        site.jobs._record_stderr_line(job, json.dumps(fields))
        assert job.to_json()["progress"]["table"] == {"headings": ["a"], "rows": []}


def test_message_after_the_last_progress_becomes_the_title(site):
    job = site.jobs.enqueue(["doctor"], "a job")
    site.jobs._record_stderr_line(job, '{"title": "review", "done": 1, "total": 1, "result": ""}')
    site.jobs._record_stderr_line(job, "simgin: drawing the plots.")
    assert job.progress["title"] == "drawing the plots" and job.percent == 100
