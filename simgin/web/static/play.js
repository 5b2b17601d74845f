// Table of a game: shows the state that the server sends, and sends the keys of legal choices.

import { cardBack, cardFace, cardName, cardPlace, withCards } from "./cards.js";
import { costTable } from "./costs.js";
import { fill, find, make, post, readAnswer, request } from "./site.js";

const MAX_HINTS = 6;
const COSTLIEST = 3;

const game = find("game");
let state = null;
let isBusy = false;
let analysis = 0; // number of the latest request to the coach; earlier ones are dropped
let running = Promise.resolve(); // the coach answers one request at a time
let mistakes = new Map(); // comments of the coach on mistakes in this deal, by label

const address = (path) => `/play/${path}?${game.dataset.query}`;
const load = async (path) => {
  const response = await request(address(path), { headers: { Accept: "application/json" } });
  const answer = await readAnswer(response);
  if (!response.ok) throw new Error(answer.error);
  return answer;
};
// Show advice in full, with its first sentence above the buttons, which is in view on a phone.
const advise = (text, ...parts) => {
  find("coach-line").textContent = withCards(text.replace(/\. .*/, "."));
  fill("advice", ...parts);
};
const showError = (error) => advise(error.message, make("p", { class: "error" }, error.message));
const say = (text) => { find("announced").textContent = text; };

// Actions

const change = async (action, body = {}) => {
  if (isBusy || !state) return;
  isBusy = true;
  // After a click, no card has the focus ring, which could be mistaken for advice.
  const isKeyboard = game.contains(document.activeElement) && document.activeElement.matches(":focus-visible");
  try {
    const made = state;
    show(await post(address(action), { version: state.version, ...body }));
    const hadChoice = action === "act" && made.table.choices.length > 1;
    // After a deal, the list of the costliest decisions replaces the comment.
    if (hadChoice && state.table && find("coach-mode").value === "always") comment();
  } catch (error) {
    if (error.answer?.state) show(error.answer.state);
    showError(error);
  } finally {
    isBusy = false;
  }
  if (isKeyboard && !game.contains(document.activeElement)) focusFirst();
};
const act = (key) => change("act", { key });
const undo = () => state?.can_undo && change("undo");
const next = async () => {
  if (!state?.result) return;
  if (!state.is_over) await change("next");
  if (state.is_over) location.assign(nextGame());
};
const restart = async () => {
  if (confirm("Start this game again? Its actions will be deleted.")) show(await post(address("restart")));
};
const choice = (key) => state?.table?.choices.find((each) => each.key === key);

// Focus the first card or button that responds, so that the keyboard always acts on the table.
const focusFirst = () => {
  const first = game.querySelector("#hand button, #choices button");
  first?.focus({ preventScroll: true });
};

// Coach

const showCosts = (found) => {
  const parts = [make("p", { class: "verdict-line" }, withCards(found.choice || found.verdict))];
  if (found.actions.length) {
    parts.push(costTable(found.actions, found.unit, MAX_HINTS));
    parts.push(make("p", { class: "note" }, `${found.worlds.toLocaleString("en")} worlds (simulated deals). `, make("a", { href: found.link }, "Open in Analyse")));
  }
  advise(found.choice || (found.actions.length ? `Lowest cost: ${found.actions[0].text}.` : found.verdict), ...parts);
};

// Add the cost of a mistake to the turns of its deal, where it remains after the next decision.
const record = (found, list = mistakes) => {
  if (found.cost > 0) list.set(found.label, found.choice);
  showHistory();
};

const ask = async (path, waiting) => {
  const number = ++analysis;
  const list = mistakes;
  advise(waiting, make("p", { class: "waiting" }, waiting));
  await running;
  if (number !== analysis) return;
  const answer = load(path);
  running = answer.catch(() => {});
  try {
    const found = await answer;
    record(found, list);
    if (number === analysis) showCosts(found);
  } catch (error) {
    if (number === analysis) showError(error);
  }
};
const hint = () => state?.table && ask("hint", "Simulating deals …");
const comment = () => ask("last-decision", "The coach analyses your decision …");

// Analyse all decisions of a finished deal one by one, and show the costliest so far.
const showCostliest = async (list) => {
  const number = ++analysis;
  const found = [];
  list.replaceChildren(make("li", { class: "waiting" }, "Analysing your decisions …"));
  await running;
  for (let place = 0, total = 1; place < total; place += 1) {
    let one;
    try {
      one = await load(`decisions/${place}`);
    } catch (error) {
      one = { decisions: total, cost: 0, error };
    }
    if (number !== analysis) return;
    record(one);
    total = one.decisions;
    if (one.cost > 0) found.push(one);
    found.sort((a, b) => b.cost - a.cost);
    const items = found.slice(0, COSTLIEST).map((each) => make("li", {}, `${each.label}: ${withCards(each.choice)} `, make("a", { href: each.link }, "Analyse")));
    const rest = place + 1 < total ? `Analysing decision ${place + 2} of ${total} …` : found.length ? "" : "You made no significant mistake in this deal.";
    list.replaceChildren(...items, ...(rest ? [make("li", { class: place + 1 < total ? "waiting" : "none" }, rest)] : []));
  }
};

// Table

const cardButton = (each, classes) => {
  const button = make("button", { type: "button", class: `card-button ${classes}`, "aria-label": `Discard the ${cardName(each)}`, "data-card": each }, cardFace(each));
  button.addEventListener("click", () => act(each));
  return button;
};
const cardImage = (each, classes = "") => make("span", { role: "img", class: classes, "aria-label": cardName(each.slice(0, 2)) }, cardFace(each.slice(0, 2)));

// Draw a hand: its melds, then the other cards, with a space before each group.
const handCards = (hand, drawCard) => hand.flatMap((group, place) => group.map((each, index) =>
  drawCard(each, `${place + 1 < hand.length ? "meld" : "unmatched"}${place && !index ? " first" : ""}`)));

const showStack = (id, key, picture, label) => {
  const button = find(id);
  button.replaceChildren(picture);
  button.disabled = !key;
  button.dataset.key = key || "";
  if (key) button.setAttribute("aria-label", label);
  else button.removeAttribute("aria-label");
};

const showTable = (table) => {
  const known = table.known.map((each) => cardImage(each));
  fill("opponent-hand", ...known, ...Array.from({ length: table.hidden }, () => cardBack()));
  const drawKey = choice("s") ? "s" : table.choices.length === 1 && choice("p") ? "p" : null;
  showStack("stock", drawKey, table.stock > 0 ? cardBack() : cardPlace(), "Draw from the stock");
  find("stock-label").textContent = `Stock: ${table.stock}`;
  const last = table.pile.at(-1);
  const top = table.offered_card || (last && !last.endsWith("*") && last !== "?" ? last : null);
  showStack("top", choice("t") && "t", top ? cardFace(top) : cardPlace(), top ? `Take the ${cardName(top)}` : "");
  find("top-label").textContent = "Discard pile";
  fill("events", ...paragraphs([...table.events, ...table.die]));
  fill("hand", ...handCards(table.hand, (each, classes) => {
    const shown = each === table.new_card ? `${classes} new` : classes;
    return choice(each) ? cardButton(each, shown) : cardImage(each, shown);
  }));
  find("count").textContent = table.count;
  const others = table.choices.filter((each) => !each.is_discard);
  fill("choices", ...others.map((each) => {
    const button = make("button", { type: "button", class: "kghb".includes(each.key) ? "primary" : "" }, `${withCards(each.text)} `, make("kbd", {}, each.key));
    button.addEventListener("click", () => act(each.key));
    return button;
  }));
  const canDiscard = table.choices.some((each) => each.is_discard);
  find("prompt").textContent = canDiscard ? "Click a card to discard it, or choose it with the arrow keys and Enter." : drawPrompt(drawKey, choice("t"));
  showPile(table.pile);
};

const drawPrompt = (canDraw, canTake) => {
  if (canDraw && canTake) return "Click the stock or the discard pile, or use a button.";
  if (canDraw) return "Click the stock, or use the button.";
  return canTake ? "Click the discard pile to take its top card, or use a button." : "Choose an action.";
};

const paragraphs = (lines) => lines.map((text) => make("p", {}, withCards(text)));

const showPile = (pile) => fill("pile", ...pile.map((each) => (each === "?" ? cardBack() : cardImage(each, each.endsWith("*") ? "taken" : ""))));

const showResult = (result) => {
  const hands = result.hands.map((hand) => make("div", { class: "final" },
    make("p", {}, make("b", {}, hand.name), hand.count === null ? "" : ` deadwood ${hand.count}`),
    make("div", { class: "cards small" }, ...handCards(hand.groups, cardImage)),
    ...(hand.laid_off.length ? [make("p", {}, "Laid off:"), make("div", { class: "cards tiny" }, ...hand.laid_off.map((each) => cardImage(each)))] : [])));
  const costliest = make("ol", { class: "costliest" });
  fill("opponent-hand");
  for (const id of ["stock", "top"]) showStack(id, null, cardPlace());
  for (const id of ["stock-label", "top-label", "count"]) find(id).textContent = "";
  fill("events", make("p", { class: `outcome ${result.winner}` }, withCards(result.summary)), ...paragraphs(result.match));
  fill("hand", ...hands);
  const more = make("button", { type: "button", class: "primary" }, result.is_last ? `Play another ${state.goal ? "match" : "deal"} ` : "Next deal ", make("kbd", {}, "Enter"));
  more.addEventListener("click", next);
  fill("choices", more, make("a", { class: "button", href: address("deal.json"), download: "" }, "Save this deal"));
  find("prompt").textContent = "";
  fill("advice", make("h2", {}, "Costliest decisions"), costliest);
  showPile(result.pile);
  if (find("coach-mode").value === "off") costliest.append(offerCostliest(costliest));
  else showCostliest(costliest);
};

const offerCostliest = (list) => {
  const button = make("button", { type: "button" }, "Find them");
  button.addEventListener("click", () => showCostliest(list));
  return make("li", { class: "none" }, button);
};

const nextGame = () => {
  const query = new URLSearchParams(game.dataset.query);
  query.set("seed", String(BigInt(game.dataset.seed) + 1n));
  query.set("coach", find("coach-mode").value);
  return `/play?${query}`;
};

const showHistory = () => fill("history", ...state.history.map((line, index) => {
  const comments = [...mistakes].filter(([label]) => Number(label.match(/\d+/)?.[0] ?? 1) === index + 1).map(([, text]) => make("small", {}, withCards(text)));
  return make("li", { class: /^\d/.test(line.trim()) ? "" : "ending" }, withCards(line.trim().replace(/^\d+ /, "")), ...comments);
}));

const show = (received) => {
  analysis += 1;
  if (!received.can_undo || received.undone !== state?.undone) mistakes = new Map();
  state = received;
  game.dataset.version = state.version;
  const [ownScore = "", opponentScore = ""] = state.result?.scores ?? state.scores;
  find("opponent-name").textContent = state.opponent || (opponentScore ? "Joker" : "Solitaire");
  find("opponent-score").textContent = opponentScore;
  find("own-score").textContent = ownScore;
  const undone = state.undone ? `, undone: ${state.undone}` : "";
  const goal = state.goal ? `Match to ${state.goal}, deal` : "Deal";
  find("dealer").textContent = `${goal} ${state.deal}${state.dealer ? `, dealer: ${state.dealer}` : ""}${undone}`;
  find("undo").disabled = !state.can_undo;
  find("hint").disabled = !state.table;
  showHistory();
  if (state.note) advise(state.note, make("p", {}, state.note));
  else advise("");
  game.classList.toggle("ended", Boolean(state.result));
  game.classList.toggle("solitaire", !state.opponent);
  if (state.table) {
    showTable(state.table);
    say([...state.table.events, find("prompt").textContent].join(". "));
  } else {
    showResult(state.result);
    say([state.result.summary, ...state.result.match].join(" "));
  }
};

// Keyboard

// Enter does not begin the next deal while the list of costliest decisions is computed.
const isListing = () => game.querySelector(".costliest .waiting");

const moveFocus = (step) => {
  const cards = [...game.querySelectorAll("#hand button")];
  if (!cards.length) return;
  const place = cards.indexOf(document.activeElement);
  cards[place < 0 ? 0 : (place + step + cards.length) % cards.length].focus();
};
const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, form")) return;
  const isOnButton = event.target.closest("button, a, summary");
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) moveFocus(step);
  else if (event.key === "e") hint();
  else if (event.key === "u") undo();
  else if (event.key === "Enter" && isListing() && (!isOnButton || event.target.closest("#choices .primary"))) say("The coach has not finished.");
  else if (event.key === "Enter" && !isOnButton && state?.result) next();
  else if (event.key.length === 1 && choice(event.key.toLowerCase())) act(event.key.toLowerCase());
  else return;
  event.preventDefault();
};

const saveMode = () => {
  const query = new URLSearchParams(location.search);
  query.set("coach", find("coach-mode").value);
  history.replaceState(null, "", `?${query}`);
  game.dataset.coach = query.get("coach");
  document.cookie = `simgin-coach=${query.get("coach")}; Path=/; Max-Age=31536000; SameSite=Strict`;
};

if (game) {
  for (const id of ["stock", "top"]) find(id).addEventListener("click", () => act(find(id).dataset.key));
  find("hint").addEventListener("click", hint);
  find("undo").addEventListener("click", undo);
  find("restart").addEventListener("click", () => restart().catch(showError));
  find("coach-mode").addEventListener("change", saveMode);
  addEventListener("keydown", onKey);
  load("state").then(show).catch(showError);
}
