// Costs of actions as bars with 95 % intervals.

import { withCards } from "./cards.js";
import { make } from "./site.js";

const percent = (value, largest) => `${Math.max(0, Math.min(100, (100 * value) / largest))}%`;

const bar = (action, largest) => {
  const interval = make("span", { class: "interval" });
  interval.style.left = percent(Math.max(0, action.low), largest);
  interval.style.width = percent(action.high - Math.max(0, action.low), largest);
  const mean = make("span", { class: "mean" });
  mean.style.width = percent(action.cost, largest);
  return make("span", { class: "bar", "aria-hidden": "true" }, mean, interval);
};

// Return a table of actions, best first. An action has text, cost, low, high, price, is_best, is_chosen, is_best_ending, win and gin.
export const costTable = (actions, unit, limit = actions.length) => {
  const shown = actions.filter((action, place) => place < limit || action.is_chosen || action.is_best_ending);
  const largest = Math.max(...shown.map((action) => action.high), 1);
  const heading = (text, number) => make("th", { scope: "col", class: number ? "number" : "" }, text);
  const cell = (text) => make("td", { class: "number" }, text);
  const rows = shown.map((action) => make("tr", { class: [action.is_best ? "best" : "", action.is_chosen ? "chosen" : ""].join(" ") },
    make("th", { scope: "row" }, withCards(action.text), action.is_chosen ? make("span", { class: "unseen" }, " (your choice)") : ""),
    make("td", { class: "cost" }, bar(action, largest), make("span", {}, action.price)),
    cell(action.win.toFixed(0)), cell(action.gin.toFixed(0))));
  const head = make("tr", {}, heading("Action"), heading(`Cost, ${unit}`), heading("Won %", true), heading("Gin %", true));
  const swatch = (...parts) => make("span", { class: "bar", "aria-hidden": "true" }, ...parts.map((part) => make("span", { class: part })));
  const legend = make("p", { class: "note legend" }, swatch("mean"), " estimated cost, ", swatch("mean", "interval"), swatch("interval"), " 95 % interval (±)");
  return make("div", { class: "scroll open", tabIndex: 0, role: "region", "aria-label": "Table of costs" },
    make("table", { class: "costs" }, make("thead", {}, head), make("tbody", {}, ...rows)), legend);
};
