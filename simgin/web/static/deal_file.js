// Decisions of a deal in a file, costliest first, with links that open each on the board.

import { withCards } from "./cards.js";
import { readLines } from "./lines.js";
import { fill, find, make } from "./site.js";

const MAX_BYTES = 2 ** 20;

let current = null; // the file that is being analysed

const showDecisions = ({ title, decisions, is_over: isOver }) => {
  if (title) {
    find("file-title").textContent = title;
    return;
  }
  find("file-status").textContent = isOver ? `${decisions.length} decisions, costliest first.` : `Analysing decision ${decisions.length} …`;
  fill("decisions", ...decisions.map((each) => make("li", {}, `${each.title}: ${withCards(each.choice)} `, make("a", { href: each.link }, "Open"))));
};

const read = async (file) => {
  current?.abort();
  current = new AbortController();
  fill("decisions");
  find("file-status").textContent = "Reading the file …";
  find("file-status").scrollIntoView({ block: "nearest" });
  try {
    if (file.size > MAX_BYTES) throw new Error("The file is larger than 1 MiB. Choose the file of a single deal.");
    const options = { method: "POST", body: await file.text(), signal: current.signal };
    await readLines(`/analyse/file?${new URLSearchParams({ name: file.name })}`, options, showDecisions);
  } catch (error) {
    if (error.name !== "AbortError") find("file-status").textContent = error.message;
  }
};

const hasFile = (event) => event.dataTransfer?.types.includes("Files");
const mark = (isOn) => document.body.classList.toggle("is-drop-target", isOn);

find("file").addEventListener("change", (event) => event.target.files[0] && read(event.target.files[0]));
addEventListener("dragover", (event) => { if (hasFile(event)) { event.preventDefault(); mark(true); } });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(false); });
addEventListener("drop", (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  mark(false);
  read(event.dataTransfer.files[0]);
});
