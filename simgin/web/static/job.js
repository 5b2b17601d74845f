// Progress of a job. A page with an element `#job[data-job]` shows it; see templates/job.html.j2.

import { drawChart } from "./chart.js";
import { find, post } from "./site.js";

// Call a function with each state of a job until it ends.
export const followJob = (name, onState) => {
  const events = new EventSource(`/jobs/${name}/events`);
  events.onmessage = (event) => {
    const state = JSON.parse(event.data);
    if (!["queued", "running"].includes(state.state)) events.close();
    onState(state);
  };
  return events;
};

const timeLeft = ({ compiling, seconds_left: seconds }) => {
  if (compiling) return "compiling";
  if (seconds === null || seconds === undefined) return "";
  return seconds < 60 ? `${seconds} s left` : `${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
};

const showState = (job) => {
  if (job.state === "finished" && job.run) location.replace(`/results/${encodeURIComponent(job.run)}`);
  const isOpen = ["queued", "running"].includes(job.state);
  find("job-state").textContent = job.state;
  find("job-state").className = `state ${job.state}`;
  find("job-left").textContent = job.state === "running" ? timeLeft(job.progress) : "";
  find("job-progress").value = job.percent;
  const stage = job.progress.title ?? job.note.join("").replace(/^simgin: /, "");
  find("job-note").textContent = job.error || (isOpen ? stage : "");
  find("job-result").textContent = job.progress.result || "";
  find("job-result").hidden = !job.progress.result;
  if (find("job-chart") && job.history.length) {
    drawChart(find("job-chart"), job.history);
    find("job-result").hidden = true;
  }
  find("job-cancel").hidden = !isOpen;
  find("job-resume").hidden = !job.can_resume;
};

const box = find("job");
if (box) {
  const name = box.dataset.job;
  const follow = () => followJob(name, showState);
  const request = (action) => async () => {
    try {
      showState(await post(`/jobs/${name}/${action}`));
      if (action === "resume") follow();
    } catch (error) {
      find("job-note").textContent = error.message;
    }
  };
  find("job-cancel").addEventListener("click", request("cancel"));
  find("job-resume").addEventListener("click", request("resume"));
  follow();
}
