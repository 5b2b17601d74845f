// Progress of the job that the element `#job[data-job]` names; see templates/job.html.j2.

import { drawChart } from "./chart.js";
import { find, make, post } from "./site.js";

const OPEN_STATES = ["queued", "running"];

const timeLeft = ({ compiling, seconds_left: seconds, can_end_early: canEndEarly }) => {
  if (compiling) return "compiling";
  if (!seconds) return ""; // unknown, or the phase ends
  const text = seconds < 60 ? `${seconds} s left` : `${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
  return canEndEarly ? `at most ${text}` : text;
};

const makeCell = ({ text, verdict, detail, tone }, column) => (column
  ? make("td", { class: tone }, make("b", { textContent: text }), " ", make("i", { textContent: verdict }), " ", make("small", { textContent: detail.split(";")[0] }))
  : make("th", { scope: "row", textContent: text }));

// Return the scorecard of a review; see `Table.to_json` for its cells.
const makeScorecard = ({ headings, rows }) => {
  const head = headings.map((heading) => make("th", { scope: "col", textContent: heading }));
  const body = rows.map((cells) => make("tr", {}, ...cells.map(makeCell)));
  const table = make("table", { class: "card" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
  table.style.setProperty("--cells", headings.length - 1);
  return table;
};

let shown = ""; // scorecard that the page shows, as JSON
const showTable = (table) => {
  find("job-scorecard").hidden = !table;
  const text = JSON.stringify(table);
  if (table && text !== shown) find("job-table").replaceChildren(makeScorecard(table));
  shown = text;
};

let points = []; // of the chart
const showState = (job) => {
  if (job.state === "finished" && job.run) location.replace(`/results/${encodeURIComponent(job.run)}`);
  const isOpen = OPEN_STATES.includes(job.state);
  find("job-state").textContent = job.state;
  find("job-state").className = `state ${job.state}`;
  points = find("job-chart") ? job.history : [];
  const hasChart = points.length > 0;
  const isPrecise = points.at(-1)?.target; // the size of the run is unknown
  const left = job.state === "running" && !isPrecise ? timeLeft(job.progress) : "";
  find("job-left").textContent = hasChart ? left : "";
  find("job-progress").value = job.percent;
  const stage = job.progress.title ?? (job.note.join("").replace(/^simgin: /, "") || (job.state === "running" ? "starting" : ""));
  find("job-note").textContent = job.error || (isOpen && !hasChart ? [stage, left].filter(Boolean).join(", ") : "");
  if (hasChart) drawChart(find("job-chart"), points);
  showTable(job.progress.table);
  find("job-result").textContent = job.progress.result || "";
  find("job-result").hidden = !job.progress.result || hasChart || job.progress.table;
  find("job-help").hidden = !isOpen;
  find("job-cancel").hidden = !isOpen;
  find("job-resume").hidden = !job.can_resume;
  find("job-change").hidden = !job.can_change;
};

const name = find("job").dataset.job;
const follow = () => {
  const events = new EventSource(`/jobs/${name}/events`);
  events.onmessage = ({ data }) => {
    const state = JSON.parse(data);
    if (!OPEN_STATES.includes(state.state)) events.close();
    showState(state);
  };
  events.onerror = () => { find("job-note").textContent = "The server does not answer. Is simgin web still running?"; };
};
const request = (action) => async () => {
  try {
    showState(await post(`/jobs/${name}/${action}`));
    if (action === "resume") follow();
  } catch (error) {
    find("job-note").textContent = error.message;
  }
};
addEventListener("resize", () => { if (points.length) drawChart(find("job-chart"), points); });
find("job-cancel").addEventListener("click", request("cancel"));
find("job-resume").addEventListener("click", request("resume"));
follow();
