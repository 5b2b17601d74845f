// Editors of specs: a name and changed parameters, such as standard+undercut_bonus=10. The server
// describes the parameters of the current spec; see spec_fields.py.

import { find, make } from "./site.js";
import { form, onAnswer } from "./form.js";

const SYNTAX = { variant: { first: "+", next: "+" }, strategy: { first: ":", next: "," } };

// Split a spec into its name and its changed parameters.
const parse = (kind, spec) => {
  if (kind === "variant") {
    const parts = spec.split("+");
    const settings = parts.filter((part) => part.includes("="));
    return [parts.filter((part) => !part.includes("=")).join("+"), new Map(settings.map((part) => part.split("=")))];
  }
  const [head, settings] = spec.includes("+") ? [spec, ""] : spec.split(/:(.*)/s);
  const pairs = (settings ?? "").split(",").filter((part) => part.includes("="));
  return [head, new Map(pairs.map((part) => part.split("=")))];
};

const makeControl = (field) => {
  if (field.kind === "choice") {
    const values = field.choices.includes(field.default) ? field.choices : [field.default, ...field.choices];
    return make("select", {}, ...values.map((value) => make("option", { value, textContent: value })));
  }
  const control = make("input", { type: field.kind === "number" ? "number" : "text", autocomplete: "off" });
  if (field.range) Object.assign(control, { min: field.range[0], max: field.range[1], step: field.step ?? 1 });
  return control;
};

const describeRange = ({ unit, range }) => [unit, range && `${range[0]} to ${range[1]}`].filter(Boolean).join(", ");

const makeEditor = (box) => {
  const input = box.querySelector("input[type=hidden]");
  const select = box.querySelector("select");
  const place = box.querySelector(".parameters");
  const kind = box.dataset.kind;
  const controls = new Map();
  let [head, changes] = ["", new Map()];
  let shown = null; // name whose parameters are shown

  const write = () => {
    const { first, next } = SYNTAX[kind];
    const settings = [...changes].map(([name, value]) => `${name}=${value}`).join(next);
    input.value = head && settings ? head + first + settings : head;
    form.dispatchEvent(new Event("input"));
  };

  const read = () => {
    [head, changes] = parse(kind, input.value);
    if (head && ![...select.options].some((option) => option.value === head)) select.append(make("option", { value: head, textContent: head }));
    select.value = head;
    box.hidden = !head;
  };

  const makeField = (field) => {
    const control = makeControl(field);
    control.id = `${input.name}-${field.name}`;
    const note = make("small", { id: `${control.id}-note`, textContent: describeRange(field) });
    control.setAttribute("aria-describedby", note.id);
    control.addEventListener("input", (event) => {
      event.stopPropagation();
      if (control.value === "" || control.value === controls.get(field.name).usual) changes.delete(field.name);
      else changes.set(field.name, control.value);
      write();
    });
    const row = make("div", { class: "field", title: field.about }, make("label", { htmlFor: control.id, textContent: field.label }), control, note);
    controls.set(field.name, { control, row, note, usual: field.default });
    return row;
  };

  const render = (fields) => {
    controls.clear();
    const isStrategy = kind === "strategy"; // all parameters of a strategy are folded away
    const open = place.querySelector("details")?.open ?? (isStrategy && changes.size > 0);
    const titles = [...new Set(fields.map((field) => field.section))];
    const makeGrid = (title) => make("div", { class: "fields" }, ...fields.filter((field) => field.section === title).map(makeField));
    const others = titles.map((title) => [title, makeGrid(title)]);
    place.replaceChildren(...(isStrategy ? [] : others.splice(0, 1).map(([, grid]) => grid)));
    if (!others.length) return;
    const more = others.flatMap(([title, grid]) => (others.length > 1 ? [make("h3", { textContent: title }), grid] : [grid]));
    place.append(make("details", { open }, make("summary", { textContent: isStrategy ? "Parameters" : "All other rules" }), ...more));
  };

  // Show the values of the spec, and drop changes without effect.
  const update = (description, errors) => {
    if (description.head !== shown) render(description.fields);
    shown = description.head;
    box.querySelector(".about").textContent = description.about;
    let isDropped = false;
    for (const { name, value, idle, default: usual, about, unit, range } of description.fields) {
      const { control, row, note } = controls.get(name);
      if (idle && changes.delete(name)) isDropped = true;
      if (control !== document.activeElement) control.value = control.type === "number" && value === "-" ? "" : value;
      control.disabled = Boolean(idle);
      const isChanged = changes.has(name) && !errors[control.id];
      row.classList.toggle("changed", isChanged);
      row.title = idle || about;
      note.textContent = isChanged ? `instead of ${usual}` : describeRange({ unit, range });
    }
    if (isDropped) write();
  };

  // Another base is also the new beginning of the rule sets that begin with the old one.
  const rebase = (from, to) => {
    if (head !== from || !input.value) return;
    head = to;
    select.value = to;
    write();
  };
  select.addEventListener("input", (event) => {
    event.stopPropagation();
    const from = head;
    // Rules that the user changed remain changed in another variant.
    const isUntouched = input.value === input.dataset.default;
    if (kind === "strategy" || isUntouched) changes = new Map();
    head = select.value;
    if (box.parentElement.dataset.copy === input.name) for (const other of editors) other.rebase(from, head);
    write();
  });
  box.querySelector(".remove")?.addEventListener("click", () => {
    input.value = "";
    read();
    form.dispatchEvent(new Event("input"));
    find("add")?.focus();
  });
  read();
  return { input, box, select, update, rebase, set: (spec) => { input.value = spec; read(); write(); } };
};

const editors = [...document.querySelectorAll(".spec")].map(makeEditor);
const list = document.querySelector(".specs");
const listed = editors.filter(({ box }) => box.parentElement === list);
const add = find("add");
const showAdd = () => { add.hidden = listed.every(({ input }) => input.value); };

const firstUnused = (select) => {
  const used = listed.map(({ input }) => input.value);
  return [...select.options].find(({ value, parentElement }) => !parentElement.disabled && !used.includes(value)).value;
};

// A new rule set begins with the base, and a new strategy with the first unused one.
add.addEventListener("click", () => {
  const free = listed.find(({ input }) => !input.value);
  free.set(list.dataset.copy ? find(list.dataset.copy).value : firstUnused(free.select));
  showAdd();
  free.select.focus();
});
onAnswer(({ specs, errors }) => {
  for (const { input, update } of editors) if (specs[input.name]) update(specs[input.name], errors);
  showAdd();
});
showAdd();

// Offer only strategies for the number of players of the variant.
const variant = find("variant");
const offer = (event) => {
  const isSolitaire = form.dataset.solitaire.split(" ").includes(variant.value.split("+")[0]);
  form.classList.toggle("solitaire", isSolitaire);
  const unfit = isSolitaire ? "For two players" : "For one player";
  for (const { input, box, select, set } of editors) {
    for (const group of select.querySelectorAll("optgroup")) group.hidden = group.disabled = group.label === unfit;
    // The server checks the strategies of the address.
    if (event && input.value && box.offsetParent && select.selectedOptions[0].parentElement.disabled) set(firstUnused(select));
  }
};
if (variant) {
  variant.addEventListener("input", offer);
  offer();
}
