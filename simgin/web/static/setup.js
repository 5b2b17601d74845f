// Form for a new game: describes the chosen opponent, and hides fields that solitaire games do not have.

import { find } from "./site.js";

const form = find("setup");

const describe = () => {
  const isSolitaire = form.dataset.solitaire.split(" ").includes(form.elements.variant.value);
  for (const id of ["opponent", "seat"]) find(id).closest(".field").hidden = isSolitaire;
  find("opponent-about").textContent = form.elements.opponent.selectedOptions[0].dataset.about;
};

form.addEventListener("change", describe);
describe();
