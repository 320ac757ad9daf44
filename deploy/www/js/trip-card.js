// What can be done with a trip on its page: favourite, delete, share. Each works without script as
// a form or a link; here it happens in place.

import { confirmDelete } from "./delete-dialog.js";
import { isPlain } from "./links.js";
import { addShareAgain, share, unshare } from "./share.js";
import { say } from "./status.js";
import { pageWords } from "./words.js";
import { writeForJSON } from "./writes.js";

/** Listens to the page rather than to the card, which is replaced now and then. */
export function enhanceTripCard() {
  addShareAgain(document.querySelector(".trip-card"));
  document.addEventListener("submit", (event) => {
    const action = actions.find(([selector]) => event.target.matches(selector))?.[1];
    if (!action || event.defaultPrevented) return;
    event.preventDefault();
    once(event.target, action);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".trip-card a.delete");
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    confirmDelete(link);
  });
}

const actions = [
  [".trip-card form.favourite", favourite],
  [".trip-card form.share", share],
  [".trip-card form.unshare", unshare],
];

/** A second tap while the first is on its way does nothing. The button keeps the focus, so it isn't disabled. */
async function once(form, action) {
  if (form.hasAttribute("aria-busy")) return;
  form.setAttribute("aria-busy", "true");
  try {
    await action(form);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

async function favourite(form) {
  const card = form.closest(".trip-card");
  const wanted = form.elements.favourite.value === "true";
  const trip = await writeForJSON(`/api/trips/${card.dataset.id}?lang=${document.documentElement.lang}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/merge-patch+json", "If-Match": `"${card.dataset.version}"` },
    body: JSON.stringify({ favourite: wanted }),
  });
  if (!trip) return;
  // An example becomes the traveller's own with the first change, and gets its own id.
  const former = card.dataset.id;
  form.querySelector("button").setAttribute("aria-pressed", String(trip.favourite));
  form.elements.favourite.value = String(!trip.favourite);
  form.elements.version.value = trip.version;
  for (const section of document.querySelectorAll("[data-id][data-version]")) {
    if (section.dataset.id === former) Object.assign(section.dataset, { id: trip.id, version: trip.version });
  }
  say(trip.favourite ? pageWords.isFavourite : pageWords.noFavourite);
}
