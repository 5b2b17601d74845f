"""Pages that show the progress of jobs, and can cancel or resume jobs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from simgin.web.jobs import FINISHED, Job
from simgin.web.pages import render_page

POLL_INTERVAL_SECONDS = 0.2
# maximum time between two events, in seconds, so that a closed connection is noticed
MAX_SECONDS_BETWEEN_EVENTS = 15.0


def show_job(request: Request) -> Response:
    """Show the progress of a job, or redirect to the results if the job has finished."""
    job = _find_job(request)
    if job.state == FINISHED and job.run:
        return RedirectResponse(f"/results/{quote(job.run)}", 303)
    return render_page(request, "job", job=job, command=job.command)


def cancel_job(request: Request) -> Response:
    """Cancel the job in the address, and send its new state."""
    return JSONResponse(request.app.state.site.jobs.cancel(_find_job(request).name).to_json())


def resume_job(request: Request) -> Response:
    """Put the job in the address back into the queue, and send its new state."""
    return JSONResponse(request.app.state.site.jobs.resume(_find_job(request).name).to_json())


async def stream_job_states(request: Request) -> Response:
    """Send the state of a job whenever it changes, until the job ends."""
    job = _find_job(request)
    return StreamingResponse(_iter_job_events(job), media_type="text/event-stream")


def _find_job(request: Request) -> Job:
    """Return the job in the address of a page."""
    job: Job = request.app.state.site.jobs.find_job(request.path_params["name"])
    return job


async def _iter_job_events(job: Job) -> AsyncIterator[str]:
    """Yield the states of a job as server-sent events."""
    sent_state, silent_seconds = "", 0.0
    while True:
        is_open = job.is_open
        state = json.dumps(job.to_json())
        if state != sent_state:
            sent_state, silent_seconds = state, 0.0
            yield f"data: {state}\n\n"
        elif silent_seconds >= MAX_SECONDS_BETWEEN_EVENTS:
            silent_seconds = 0.0
            yield ": still running\n\n"
        if not is_open:
            return
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
        silent_seconds += POLL_INTERVAL_SECONDS
