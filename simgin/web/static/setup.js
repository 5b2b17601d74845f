// Form for a new game: describes the chosen variant and opponent, and hides fields that solitaire games do not have.

import { find } from "./site.js";

const form = find("setup");

const describe = () => {
  const isSolitaire = form.dataset.solitaire.split(" ").includes(form.elements.variant.value);
  for (const id of ["opponent", "seat"]) find(id).closest(".field").hidden = isSolitaire;
  for (const id of ["variant", "opponent"]) find(`${id}-about`).textContent = form.elements[id].selectedOptions[0].dataset.about;
};

form.addEventListener("change", describe);
describe();
