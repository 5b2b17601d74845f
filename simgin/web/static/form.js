// Form of a command. The address contains its values; each change updates the command, the expected
// time and the errors with the answer of `PAGE/check`.

import { find, make, post, readAnswer } from "./site.js";

const WAIT = 150; // milliseconds after the last key
export const form = find("command-form");

// Return the values that are not the defaults.
const readQuery = () => {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const text = value.trim();
    const usual = find(name).dataset.default ?? "";
    if (text && text !== usual) query.set(name, text);
  }
  return query.toString();
};

const address = (path, query) => (query ? `${path}?${query}` : path);

// Show each error at the element with its name as id; a parameter of a spec has no name.
const showErrors = (errors) => {
  for (const { id: name } of form.elements) {
    if (!name || name.endsWith("-head")) continue;
    const message = errors[name] ?? "";
    let slot = find(`${name}-error`);
    if (!slot && message) {
      slot = make("p", { id: `${name}-error`, class: "error" });
      find(name).closest(".field, fieldset").append(slot);
    }
    if (slot) slot.textContent = message;
    const control = find(`${name}-head`) ?? find(name);
    if (message) {
      control.setAttribute("aria-invalid", "true");
      control.closest("details")?.setAttribute("open", "");
    } else control.removeAttribute("aria-invalid");
    const ids = [find(`${name}-note`), slot].filter(Boolean).map(({ id }) => id);
    if (slot) control.setAttribute("aria-describedby", ids.join(" "));
  }
  find("form-error").textContent = errors.form ?? "";
};

// Show the parts that depend on a value: data-when="name" or data-when="name=value".
const showParts = () => {
  for (const part of form.querySelectorAll("[data-when]")) {
    const [name, value] = part.dataset.when.split("=");
    part.hidden = value ? find(name).value !== value : !find(name).value;
  }
};

const listeners = [showParts];
export const onAnswer = (listener) => listeners.push(listener);

let latest = 0;
const check = async () => {
  const query = readQuery();
  history.replaceState(null, "", address(location.pathname, query));
  const number = ++latest;
  let answer;
  try {
    const response = await fetch(address(`${location.pathname}/check`, query), { headers: { Accept: "application/json" } });
    answer = await readAnswer(response);
  } catch {
    answer = { error: "The server does not answer. Is simgin web still running?" };
  }
  if (number !== latest) return;
  if (!answer.errors) {
    find("form-error").textContent = answer.error;
    return;
  }
  for (const listener of listeners) listener(answer);
  showErrors(answer.errors); // after a listener has added the fields of the parameters
  find("command").textContent = answer.command;
  find("command").closest("section").hidden = !answer.command;
  const isValid = !Object.keys(answer.errors).length;
  find("time").textContent = isValid && answer.time ? `Expected time: ${answer.time}` : "";
  find("notes").textContent = isValid ? answer.notes.join(" ") : "";
};

const submit = form.querySelector("button[type=submit]");
const start = async (event) => {
  event.preventDefault();
  submit.disabled = true; // a double click must not send the form twice
  try {
    const { job } = await post(address(location.pathname, readQuery()));
    location.assign(`/jobs/${job}`);
  } catch (error) {
    submit.disabled = false;
    showErrors(error.answer?.errors ?? {});
    if (!find("form-error").textContent) find("form-error").textContent = error.message;
    form.querySelector("[aria-invalid]")?.focus();
  }
};

let timer;
form.addEventListener("input", () => {
  showParts();
  clearTimeout(timer);
  timer = setTimeout(check, WAIT);
});
form.addEventListener("submit", start);
addEventListener("pageshow", () => { submit.disabled = false; }); // also after going back
showParts();
check();
