// Results: buttons that resume a run, and the height of a report.

import { find, post } from "./site.js";

for (const button of document.querySelectorAll("button[data-resume]")) {
  button.addEventListener("click", async () => {
    try {
      await post(`/jobs/${button.dataset.resume}/resume`);
      location.assign(`/jobs/${button.dataset.resume}`);
    } catch (error) {
      find("results-error").textContent = error.message;
    }
  });
}

// The frame is as high as the report, so that only the page scrolls.
const frame = find("report");
if (frame) {
  const fit = () => { frame.style.height = `${frame.contentDocument.documentElement.offsetHeight}px`; };
  const follow = () => {
    document.title = `${frame.contentDocument.title} – simgin`;
    new ResizeObserver(fit).observe(frame.contentDocument.documentElement);
  };
  if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.title) follow();
  else frame.addEventListener("load", follow);
}
