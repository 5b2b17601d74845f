// Board of the page Analyse. The fields hold the position; the cards, the address and the costs follow them.

import { cardBack, cardFace, cardName, withCards } from "./cards.js";
import { costTable } from "./costs.js";
import { readLines } from "./lines.js";
import { fill, find, make, request } from "./site.js";

const RANKS = [..."A23456789TJQK"];
const SUITS = [..."SHDC"];
const CARD_START = /^[A2-9TJQK][SHDC]/;
const HAND_SIZES = { draw: 10, discard: 11 };
const PLACES = { hand: "in your hand", pile: "in the pile", known: "held by the opponent", "": "not placed" };
const TARGET_KEYS = { h: "hand", p: "pile", o: "known" };
const TARGET_NAMES = { hand: "your hand", pile: "pile", known: "taken by the opponent" };
const WORLDS_FACTOR = 4;

const form = find("position");

// Position

// Fields and commands show ten as on the cards. Typed fields can also contain T.
const withTen = (text) => text.replace(/\bT(?=[SHDC]\b)/g, "10");
// The notation is defined in simgin/text/notation.py.
const SUIT_SYMBOLS = "\u2660\u2665\u2666\u2663\u2664\u2661\u2662\u2667";
const withLetters = (text) => text.toUpperCase().replace(/[\uFE0E\uFE0F]/g, "").replaceAll("10", "T")
  .replace(/[\u2660-\u2667]/g, (symbol) => SUITS[SUIT_SYMBOLS.indexOf(symbol) % 4]);
const cardsOf = (word) => (word.length > 3 && CARD_START.test(word) ? word.match(/..\*?|./g) : [word]);
const words = (id) => withLetters(form.elements[id].value).split(/[\s,;|()[\]{}'"`]+/).filter(Boolean).flatMap(cardsOf);
const cardOf = (word) => word.replace("*", "");
const position = () => {
  const [hand, pile] = [words("hand"), words("pile")];
  // A taken card is in the opponent's hand until it is discarded, unless it is in your hand.
  const isHeld = (word, index) => /^[^?]+\*$/.test(word) && !hand.includes(cardOf(word))
    && !pile.slice(index + 1).some((later) => cardOf(later) === cardOf(word));
  return { hand, pile, known: pile.filter(isHeld).map(cardOf) };
};
const locate = (card, { hand, pile, known }) => {
  if (hand.includes(card)) return "hand";
  if (known.includes(card)) return "known";
  return pile.some((word) => cardOf(word) === card) ? "pile" : "";
};
const isSolo = () => find("variant-fields").dataset.players === "1";
const isBlind = () => Boolean(form.elements.blind?.checked);
const handSize = () => HAND_SIZES[form.elements.die?.value ? "draw" : form.elements.to_move.value] ?? HAND_SIZES.discard;
const lastIndex = (pile, card) => pile.findLastIndex((word) => cardOf(word) === card);
const without = (list, index) => list.filter((_, place) => place !== index);

// Until the user chooses the action, a complete hand decides: ten cards before a draw, eleven before a discard.
let isMoveChosen = false;
const followHand = (n) => {
  if (n === HAND_SIZES.discard || (n === HAND_SIZES.draw && !isSolo())) form.elements.to_move.value = n === HAND_SIZES.draw ? "draw" : "discard";
};
const isHandComplete = (n) => isBlind() || n >= (isMoveChosen || form.elements.die?.value ? handSize() : HAND_SIZES.discard);
const writeFields = ({ hand, pile }) => {
  form.elements.hand.value = withTen(hand.join(" "));
  form.elements.pile.value = withTen(pile.join(" "));
};

const setPosition = (hand, pile) => {
  writeFields({ hand, pile });
  if (!isMoveChosen) followHand(hand.length);
  if (isHandComplete(hand.length) && target() === "hand") setTarget("pile");
  changed();
};

// Put a card into the hand, into the pile, or among the cards that the opponent took. The second click removes it.
const place = (card, where) => {
  const { hand, pile, known } = position();
  const index = lastIndex(pile, card);
  const rest = hand.filter((each) => each !== card);
  const marked = (mark) => pile.with(index, card + mark);
  if (where === "hand") {
    if (hand.includes(card)) setPosition(rest, index >= 0 ? marked("") : pile);
    else setPosition([...hand, card], index >= 0 ? marked("*") : pile);
  } else if (where === "pile") {
    if (index >= 0 && !pile[index].endsWith("*")) setPosition(rest, without(pile, index));
    else setPosition(rest, [...pile, card]);
  } else if (known.includes(card)) {
    setPosition(rest, marked(""));
  } else {
    setPosition(rest, index >= 0 ? marked("*") : [...pile, `${card}*`]);
  }
};
const remove = (card) => {
  const { hand, pile } = position();
  setPosition(hand.filter((each) => each !== card), pile.filter((word) => cardOf(word) !== card));
};

const target = () => document.querySelector("input[name=target]:checked").value;
const setTarget = (where) => { document.querySelector(`input[name=target][value=${where}]`).checked = true; };

// Cards

const deck = SUITS.map((suit) => RANKS.map((rank) => {
  const card = rank + suit;
  const button = make("button", { type: "button", class: "card-button", "data-card": card, tabIndex: -1 }, cardFace(card));
  button.addEventListener("click", () => { focusCard(button); place(card, target()); });
  return button;
}));
const deckButtons = deck.flat();
deckButtons[0].tabIndex = 0;

const focusCard = (button) => {
  for (const each of deckButtons) each.tabIndex = each === button ? 0 : -1;
  button.focus({ preventScroll: true });
};

const smallCard = (word, label, classes, onClick) => {
  const face = word.startsWith("?") || !CARD_START.test(word) ? cardBack() : cardFace(cardOf(word));
  const button = make("button", { type: "button", class: `card-button ${classes}`, "aria-label": label, title: label }, face);
  button.addEventListener("click", onClick);
  return button;
};
const nameOf = (word) => (CARD_START.test(word) ? cardName(cardOf(word)) : "unknown card");
const showRow = (id, cards, empty) => fill(id, ...(cards.length ? cards : [make("p", { class: "empty" }, empty)]));

const showCards = () => {
  const { hand, pile, known } = position();
  for (const button of deckButtons) {
    const { card } = button.dataset;
    button.dataset.at = locate(card, { hand, pile, known });
    button.setAttribute("aria-label", `${cardName(card)}, ${PLACES[button.dataset.at]}`);
  }
  const isNew = (index) => index === HAND_SIZES.draw && hand.length === HAND_SIZES.discard;
  showRow("hand-cards", hand.map((card, index) => smallCard(card, `Remove the ${nameOf(card)} from your hand`, isNew(index) ? "new" : "", () => place(card, "hand"))), "No cards");
  showRow("pile-cards", pile.map((word, index) => smallCard(word, `Remove the ${nameOf(word)}${word.endsWith("*") ? ", which was taken," : ""} from the pile`, word.endsWith("*") ? "taken" : "", () => setPosition(hand, without(pile, index)))), "No cards");
  showRow("known-cards", known.map((card) => smallCard(card, `The opponent did not take the ${cardName(card)}`, "", () => place(card, "known"))), "No known cards");
  find("hand-count").textContent = `(${hand.length} of ${handSize()})`;
  find("next-step").textContent = nextStep(hand, pile);
};

const nextStep = (hand, pile) => {
  if (isBlind()) return "";
  if (hand.length < handSize()) return `Choose the cards of your hand: ${hand.length} of ${handSize()}.`;
  if (pile.length) return "";
  if (!isHandComplete(hand.length)) return "Add the card that you just drew. If you have not drawn yet, choose Pile and its cards, oldest first.";
  return handSize() === HAND_SIZES.draw ? "Choose the cards of the pile, oldest first." : "Add the cards of the pile, oldest first, if you remember them.";
};

// Costs

let current = null; // the running analysis
let maxWorlds = 0; // of the last analysis

const query = () => new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
// `next` is the text of the button that starts the analysis again; empty to hide it.
const showButtons = (isRunning, next = "") => {
  find("stop").hidden = !isRunning;
  find("more").hidden = !next;
  find("more").textContent = next;
};
const showErrors = (errors) => {
  for (const old of document.querySelectorAll(".error")) old.remove();
  for (const old of form.querySelectorAll("[aria-invalid]")) {
    old.removeAttribute("aria-invalid");
    old.removeAttribute("aria-describedby");
  }
  for (const [name, message] of Object.entries(errors)) {
    const field = form.elements[name];
    const box = name === "known" ? find("known-field") : field.parentElement;
    box.append(make("p", { class: "error", id: `${name}-error` }, withCards(message)));
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", `${name}-error`);
    field.closest("details")?.setAttribute("open", "");
  }
};
const showStart = ({ command, errors, about, assumed }) => {
  find("command").textContent = withTen(command);
  find("command").closest("section").hidden = !command;
  showErrors(errors);
  fill("about", ...about.map((line) => make("p", {}, withCards(line))));
  find("assumed").textContent = assumed.length ? `Assumed: ${withCards(assumed.join(" "))}` : "";
  const [message] = Object.values(errors);
  if (about.length) {
    find("worlds").textContent = "Simulating deals …";
    showButtons(true);
  } else {
    fill("costs");
    find("verdict").textContent = withCards(message ?? "") || "Enter your cards to see the cost of each action.";
    find("worlds").textContent = "";
  }
};
const showCosts = (found) => {
  maxWorlds = found.max_worlds;
  find("verdict").textContent = withCards(found.verdict);
  find("costs").classList.remove("stale");
  fill("costs", costTable(found.actions, found.unit));
  const played = `${found.worlds.toLocaleString("en")} of up to ${found.max_worlds.toLocaleString("en")} worlds (simulated deals).`;
  find("worlds").textContent = `${played} ± marks 95 % confidence intervals.`;
  showButtons(!found.is_over, found.is_over && !found.is_decided ? "Add worlds" : "");
  if (found.is_over) find("announced").textContent = found.verdict;
  board.dataset.state = found.is_over ? "over" : "running";
};

const analyse = async () => {
  current?.abort();
  const controller = new AbortController();
  current = controller;
  board.dataset.state = "waiting";
  find("costs").classList.add("stale");
  showButtons(false);
  try {
    await readLines(`/analyse/costs?${query()}`, { signal: controller.signal }, (found) => (found.errors ? showStart(found) : showCosts(found)));
  } catch (error) {
    if (error.name === "AbortError") return;
    showError(error);
    showButtons(false);
  }
};
const stop = () => {
  current?.abort();
  board.dataset.state = "stopped";
  find("worlds").textContent = `Stopped. ${find("worlds").textContent}`;
  showButtons(false, "Start again");
};
const addWorlds = () => {
  if (board.dataset.state === "over") form.elements.worlds.value = String(WORLDS_FACTOR * maxWorlds);
  changed();
};

const showError = (error) => { find("verdict").textContent = error.message; };

// The variant determines the fields of the form.
const changeVariant = async () => {
  const { value } = form.elements.variant;
  const answer = await request(`/analyse?${query()}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (form.elements.variant.value !== value) return; // The user has chosen another variant.
  find("variant-fields").replaceWith(page.getElementById("variant-fields"));
  for (const id of ["target-known", "known-part"]) find(id).hidden = isSolo();
  if (isSolo() && target() === "known") setTarget("pile");
};

const changed = () => {
  form.elements.known.value = position().known.join(" ");
  history.replaceState(null, "", `?${query()}`);
  showCards();
  analyse();
};

// Keyboard

const moveFocus = (button, key) => {
  const index = deckButtons.indexOf(button);
  const row = Math.floor(index / RANKS.length);
  const column = index % RANKS.length;
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  focusCard(deck[(row + down + SUITS.length) % SUITS.length][(column + right + RANKS.length) % RANKS.length]);
};
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;
const onDeckKey = (event) => {
  if (hasModifier(event)) return;
  const button = event.target.closest("[data-card]");
  if (event.key.startsWith("Arrow")) moveFocus(button, event.key);
  else if (["Backspace", "Delete"].includes(event.key)) remove(button.dataset.card);
  else return;
  event.preventDefault();
};
// A letter selects the group into which the next cards go, except while the user types in a field.
const onTargetKey = (event) => {
  const where = TARGET_KEYS[event.key.toLowerCase()];
  if (!where || hasModifier(event) || event.target.matches("select, input:not([type=radio], [type=checkbox])")) return;
  if (where === "known" && isSolo()) return;
  setTarget(where);
  find("announced").textContent = `Selected: ${TARGET_NAMES[where]}.`;
};

const board = find("board");
fill("deck", ...deckButtons);
find("deck").addEventListener("keydown", onDeckKey);
addEventListener("keydown", onTargetKey);
find("forgotten").addEventListener("click", () => { const { hand, pile } = position(); setPosition(hand, [...pile, "?"]); });
find("clear").addEventListener("click", () => { setTarget("hand"); isMoveChosen = false; setPosition([], []); });
find("stop").addEventListener("click", stop);
find("more").addEventListener("click", addWorlds);
form.elements.to_move.addEventListener("change", () => { isMoveChosen = true; changed(); });
form.elements.hand.addEventListener("change", () => { if (!isMoveChosen) followHand(words("hand").length); });
form.addEventListener("change", async (event) => {
  if (["hand", "pile"].includes(event.target.name)) writeFields(position());
  if (event.target.name === "variant") await changeVariant().catch(showError);
  changed();
});
form.addEventListener("submit", (event) => { event.preventDefault(); changed(); });
addEventListener("pagehide", () => current?.abort());
writeFields(position());
if (position().hand.length >= handSize()) setTarget("pile");
showCards();
analyse();
