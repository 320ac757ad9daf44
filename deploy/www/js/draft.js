// A plan that was sent and may not have been kept: the program was away, or something in it was
// wrong. It is remembered in this tab until a trip has been added, so that nobody types it twice.

const name = "trip-draft";
const storage = available();
const fields = ["city", "country", "start", "nights", "price", "picture", "placeId", "latitude", "longitude"];

/** Remembers what a form holds as it is sent. */
export function remember(form) {
  const held = Object.fromEntries(fields.map((field) => [field, form.elements[field]?.value ?? ""]));
  held.favourite = star(form)?.checked ?? false;
  storage?.setItem(name, JSON.stringify({ held, known: [...trips()] }));
}

/** Puts back what was sent, unless a trip has come since. Whether it did. */
export function restore(form) {
  const text = storage?.getItem(name);
  if (!text || !document.querySelector(".trips:not(.stub)")) return false;
  const draft = parsed(text);
  if (!draft) {
    forget();
    return false;
  }
  const { held, known } = draft;
  if ([...trips()].some((id) => !known.includes(id))) {
    forget();
    return false;
  }
  for (const field of fields) {
    if (form.elements[field]) form.elements[field].value = held[field] ?? "";
  }
  if (star(form)) star(form).checked = held.favourite === true;
  return true;
}

/** Null if it isn't what remember() wrote. */
function parsed(text) {
  try {
    const { held, known } = JSON.parse(text);
    return typeof held === "object" && held !== null && Array.isArray(known) ? { held, known } : null;
  } catch {
    return null;
  }
}

export function forget() {
  storage?.removeItem(name);
}

/** The ids of the trips in the page's list. */
export function trips(within = document) {
  return new Set(Array.from(within.querySelectorAll(".trip[data-id]"), (trip) => trip.dataset.id));
}

/** A browser that keeps nothing for a site has no storage either, and says so by throwing. */
function available() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

function star(form) {
  return form.querySelector("[type=checkbox][name=favourite]");
}
