// Results that the server sends as lines of JSON while it works.

import { request } from "./site.js";

// Send a request and call a function with each object; an error has the server's message.
export const readLines = async (address, options, onObject) => {
  const response = await request(address, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (done ? "" : value)).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) {
      if (!line) continue;
      const found = JSON.parse(line);
      if (found.error) throw new Error(found.error);
      onObject(found);
    }
    if (done) return;
  }
};
