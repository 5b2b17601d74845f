// Live chart of a run: the win rate with its interval by the number of deals, or one row for each
// pair of strategies.

import { make } from "./site.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const MAX_WIDTH = 736;
const MARGIN = { left: 52, right: 16, top: 28, bottom: 40 };
const HEIGHT = 300;
const ROW = 34; // height of a row of several pairs

const svg = (tag, attributes = {}, text = "") => {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};

const count = (n) => (n >= 1e6 ? `${+(n / 1e6).toPrecision(3)}M` : n >= 1e3 ? `${+(n / 1e3).toPrecision(3)}k` : `${n}`);

// Return round numbers between two limits.
const ticks = (low, high, wanted) => {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= raw);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(6));
};

const unitOf = ({ is_percentage: isPercentage }) => (isPercentage ? " %" : " points");

// Return numbers with as many decimals as their interval justifies.
const format = ({ low, high }, x) => x.toFixed(Math.max(0, Math.min(3, 1 - Math.floor(Math.log10((high - low) / 2 || 1)))));

const describeResult = (point, of = "") => {
  const { players: [a, b], value, is_percentage: isPercentage } = point;
  return `${a} ${isPercentage ? "wins" : "scores"} ${format(point, value)}${unitOf(point)}${of}${b ? ` against ${b}` : ""}`;
};

const describeInterval = (point) => {
  const { low, high, n, max, unit, target } = point;
  const size = `${count(n)}${max ? ` of ${target ? "at most " : ""}${count(max)}` : ""} ${unit}`;
  const stop = target ? ` The run stops when the interval fits between the dashed lines (± ${target}${unitOf(point)}).` : "";
  return `After ${size}, the 95 % confidence interval is ${format(point, low)} to ${format(point, high)}${unitOf(point)}.${stop}`;
};

const scale = (low, high, from, to) => (x) => from + ((x - low) / (high - low || 1)) * (to - from);

const drawCourse = (points, width) => {
  const last = points.at(-1);
  const shown = points.filter(({ n }) => n >= last.n / 50);
  const right = last.target || !last.max ? last.n : last.max;
  const half = Math.max(...shown.map(({ low, high }) => high - low)) / 2;
  const even = last.is_percentage ? 50 : 0;
  const near = Math.abs(last.value - even) < 4 * half ? [even] : [];
  const bottom = Math.min(...near, ...shown.map(({ low }) => low)) - half / 10;
  const top = Math.max(...near, ...shown.map(({ high }) => high)) + half / 10;
  const x = scale(0, right, MARGIN.left, width - MARGIN.right);
  const y = scale(bottom, top, HEIGHT - MARGIN.bottom, MARGIN.top);
  const parts = [];
  for (const tick of ticks(bottom, top, 4)) {
    parts.push(svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick), class: "grid" }));
    parts.push(svg("text", { x: MARGIN.left - 8, y: y(tick) + 4, "text-anchor": "end" }, last.is_percentage ? `${tick} %` : `${tick}`));
  }
  for (const tick of ticks(0, right, width / 130)) {
    parts.push(svg("text", { x: x(tick), y: HEIGHT - MARGIN.bottom + 18, "text-anchor": "middle" }, count(tick)));
  }
  parts.push(svg("text", { x: width - MARGIN.right, y: HEIGHT - 4, "text-anchor": "end" }, `number of ${last.unit}`));
  parts.push(svg("text", { x: 0, y: 12 }, last.is_percentage ? `win rate of ${last.players[0]}` : `points of ${last.players[0]} per deal`));
  if (near.length) {
    parts.push(svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(even), y2: y(even), class: "even" }));
    parts.push(svg("text", { x: width - MARGIN.right, y: y(even) - 6, "text-anchor": "end" }, last.is_percentage ? `half of the ${last.unit}` : "0 points"));
  }
  const path = (of, key) => of.map((one) => `${x(one.n).toFixed(1)},${y(one[key]).toFixed(1)}`).join(" ");
  parts.push(svg("polygon", { points: `${path(shown, "low")} ${path([...shown].reverse(), "high")}`, class: "band" }));
  if (last.target) {
    for (const side of [-1, 1]) {
      const at = y(last.value + side * last.target);
      parts.push(svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at, class: "target" }));
    }
  }
  parts.push(svg("polyline", { points: path(shown, "value"), class: "line" }));
  // The band of a single point has no width.
  parts.push(svg("line", { x1: x(last.n), x2: x(last.n), y1: y(last.low), y2: y(last.high), class: "interval" }));
  parts.push(svg("circle", { cx: x(last.n), cy: y(last.value), r: 4, class: "dot" }));
  return [HEIGHT, parts];
};

const drawRows = (points, width) => {
  const rows = [...new Map(points.map((point) => [point.matchup, point])).values()];
  const even = rows[0].is_percentage ? 50 : 0;
  const bottom = Math.min(even, ...rows.map(({ low }) => low));
  const top = Math.max(even, ...rows.map(({ high }) => high));
  const x = scale(bottom - (top - bottom) / 20, top + (top - bottom) / 20, 8, width - 8);
  const parts = [svg("line", { x1: x(even), x2: x(even), y1: 0, y2: rows.length * ROW, class: "even" })];
  rows.forEach((row, i) => {
    const at = i * ROW + 25;
    parts.push(svg("text", { x: 8, y: at - 9 }, describeResult(row)));
    parts.push(svg("line", { x1: x(row.low), x2: x(row.high), y1: at, y2: at, class: "interval" }));
    parts.push(svg("circle", { cx: x(row.value), cy: at, r: 4, class: "dot" }));
  });
  return [rows.length * ROW + 4, parts];
};

// Draw the points of a job in a box; see results/live_result.py for the fields of a point.
export const drawChart = (box, points) => {
  const last = points.at(-1);
  const isLeague = last.matchups > 1;
  const width = Math.max(280, Math.min(MAX_WIDTH, box.clientWidth));
  const [height, parts] = isLeague ? drawRows(points, width) : drawCourse(points, width);
  const result = describeResult(last, last.is_percentage ? ` of the ${last.unit}` : " per deal");
  const title = isLeague ? `Pair ${last.matchup + 1} of ${last.matchups}: ${last.players.join(" against ")}` : `So far, ${result}.`;
  const note = isLeague ? `Each line is a 95 % confidence interval. The vertical line marks ${last.is_percentage ? `half of the ${last.unit}` : "0 points"}.` : describeInterval(last);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title });
  picture.append(...parts);
  box.replaceChildren(make("p", { class: "caption", textContent: title }), make("p", { textContent: note }), picture);
};
