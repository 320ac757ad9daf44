// Refresh: everything that shows weather asks again and keeps what it shows meanwhile.

import { isPlain } from "./links.js";
import { say } from "./status.js";
import { refreshStrip } from "./strip.js";
import { pageWords } from "./words.js";

let running = null;

/** Whether a refresh of the whole page is on its way: it is said as a whole, not card by card. */
export function isRefreshing() {
  return running !== null;
}

/** Asks all weather on the page again; a second call while it does joins the first. */
export function refreshAll() {
  running ??= refresh().finally(() => {
    running = null;
  });
  return running;
}

async function refresh() {
  const cards = [...document.querySelectorAll("trip-weather")].filter((card) => !card.closest("details:not([open])"));
  say(pageWords.refreshing);
  const [lines, others] = [true, false].map((isLine) => cards.filter((card) => (card.closest(".strip") !== null) === isLine));
  const states = (await Promise.all([refreshStrip(lines), ...others.map((card) => card.refresh())])).flat();
  say(states.includes("failed") ? pageWords.someFailed : pageWords.allUpdated);
}

/** The link that loads the page again if there is no script. */
export function refreshBy(link) {
  link.addEventListener("click", async (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    link.setAttribute("aria-busy", "true");
    try {
      await refreshAll();
    } finally {
      link.removeAttribute("aria-busy");
    }
  });
}
