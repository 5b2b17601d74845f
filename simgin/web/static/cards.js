// Cards drawn in SVG. A card is a string such as "7H": rank, then suit.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = {
  S: "M12 1C15 6 22 9 22 15a5 5 0 0 1-8.5 3.5L15 23H9l1.5-4.5A5 5 0 0 1 2 15C2 9 9 6 12 1z",
  H: "M12 22C5 16 1 12 1 7a5.5 5.5 0 0 1 11-1 5.5 5.5 0 0 1 11 1c0 5-4 9-11 15z",
  D: "M12 1l9 11-9 11-9-11z",
  C: "M12 1a5 5 0 0 1 4.4 7.4A5 5 0 1 1 13.9 17.5L15 23H9l1.1-5.5A5 5 0 1 1 7.6 8.4 5 5 0 0 1 12 1z",
};
const SUITS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };

const draw = (tag, attributes, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const SYMBOLS = { S: "\u2660", H: "\u2665", D: "\u2666", C: "\u2663" };
const PLAIN = "\ufe0e"; // draws a symbol as text instead of an emoji

// Return a text in which the names of cards are written as on the cards: TS becomes 10 and the symbol of spades.
export const withCards = (text) => text.replace(/\b([A2-9TJQK])([SHDC])\b/g, (_, rank, suit) => `${rank === "T" ? "10" : rank}${SYMBOLS[suit]}${PLAIN}`);

export const cardName = (card) => `${RANKS[card[0]] || card[0]} of ${SUITS[card[1]]}`;

const frame = (classes, ...children) => draw("svg", { viewBox: "0 0 60 84", class: `card ${classes}`, "aria-hidden": "true" },
  draw("rect", { x: 1, y: 1, width: 58, height: 82, rx: 6, class: "card-edge" }), ...children);

// Return the face of a card.
export const cardFace = (card, classes = "") => {
  const [rank, suit] = card;
  const shape = (x, y, size) => draw("path", { d: SHAPES[suit], transform: `translate(${x} ${y}) scale(${size / 24})` });
  const label = draw("text", { x: 6, y: 25, class: "card-rank" }, rank === "T" ? "10" : rank);
  return frame(`${classes} ${"HD".includes(suit) ? "red" : "black"}`, label, shape(7, 30, 14), shape(24, 45, 30));
};

// Return the back of a card.
export const cardBack = (classes = "") => frame(`back ${classes}`,
  draw("rect", { x: 6, y: 6, width: 48, height: 72, rx: 3, class: "card-back" }),
  draw("path", { d: "M6 24L24 6M6 42L42 6M6 60L54 12M6 78L54 30M24 78L54 48M42 78L54 66", class: "card-lines" }));

// Return an empty place for a card.
export const cardPlace = () => frame("place");
