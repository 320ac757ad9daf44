// The program's fragments, fetched to stand in the page in place of older ones.

const timeout = 10_000;

/** The element of a fragment that a selector names, or null if there is no such answer. */
export async function fragment(address, selector) {
  const asked = new URL(address, document.baseURI);
  const { lang, dataset } = document.documentElement;
  if (lang) asked.searchParams.set("lang", lang);
  if (dataset.units) asked.searchParams.set("units", dataset.units);
  let html;
  try {
    const response = await fetch(asked, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(timeout) });
    html = await response.text();
  } catch {
    return null; // Each caller has a way without: the page as it stands, or the link's own page.
  }
  const found = new DOMParser().parseFromString(html, "text/html").querySelector(selector);
  return found ? document.importNode(found, true) : null;
}

/** What stands in a page by which selector, and from which address it is fetched again. */
const sections = [
  [".strip", () => "/api/trips/weather.html"],
  [".trips", () => "/api/trips.html"],
  [".pass[data-id]", ({ id }) => `/api/trips/${id}.html`],
  [".trip-card", ({ id }) => `/api/trips/${id}/card.html`],
];

/** Fetches a section of the page again. The focus stays on what has the same place in it. */
export async function renew(section) {
  const [selector, address] = sections.find(([selector]) => section.matches(selector));
  const fresh = await fragment(address(section.dataset), `${selector}, .gone`);
  if (!fresh || !section.isConnected) return null;
  const focused = section.contains(document.activeElement) ? wayTo(document.activeElement) : null;
  section.replaceWith(fresh);
  if (focused) (fresh.querySelector(focused) ?? fresh.querySelector("a, button"))?.focus({ preventScroll: true });
  return fresh;
}

/** Fetches all sections again: the page was kept while things may have changed elsewhere. */
export async function renewAll() {
  for (const section of document.querySelectorAll(sections.map(([selector]) => selector).join())) {
    const fresh = await renew(section);
    // The page hides whatever follows: there is nothing more to ask.
    if (fresh?.matches(".gone")) return;
  }
}

/** A control by the class of itself or of its form. */
function wayTo(control) {
  if (control.form?.className) return `form.${control.form.classList[0]} ${control.localName}`;
  return control.classList[0] ? `${control.localName}.${control.classList[0]}` : control.localName;
}
