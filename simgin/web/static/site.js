// Helpers for every page: elements, requests to the server, and the buttons that copy commands.

export const find = (id) => document.getElementById(id);

export const fill = (id, ...children) => find(id).replaceChildren(...children);

// Return an element with properties; `data-` and `aria-` names and `class` set attributes.
export const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "class" || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
};

// Return the JSON of an answer. Errors that are not about the page itself are text.
export const readAnswer = async (response) => {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { error: text.replace(/^\d+ [^.]*\. /, "").trim() || `The server answered with status ${response.status}.` };
  }
};

// Send a request; if there is no answer, throw an error with a message for the user.
export const request = (address, options) => fetch(address, options)
  .catch((error) => { throw error.name === "AbortError" ? error : new Error("The server does not answer. Is simgin web still running?"); });

// Send a POST request with JSON and return the JSON of the answer. An error has the server's message.
export const post = async (address, body = {}) => {
  const response = await request(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await readAnswer(response);
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status, answer });
  return answer;
};

for (const copy of document.querySelectorAll("button[data-copies]")) {
  copy.addEventListener("click", async () => {
    const text = find(copy.dataset.copies);
    const status = find(`${text.id}-copied`);
    try {
      await navigator.clipboard.writeText(text.textContent);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(text);
      status.textContent = "Selected. Press Ctrl+C or Cmd+C to copy.";
    }
  });
}
