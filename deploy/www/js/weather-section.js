// The <section class="weather"> that <trip-weather> shows: read from an answer, looked into, or made here.

/** The one section of an answer. Parsed apart from the page: nothing in it runs, and nothing else is taken. */
export function read(html) {
  const document = new DOMParser().parseFromString(html, "text/html");
  const section = document.querySelector("section.weather, section.gone");
  return section ? globalThis.document.importNode(section, true) : null;
}

/** "loaded", "failed", "loading", "idle", or "gone" where the trip isn't there any more. */
export function stateOf(section) {
  const state = section.dataset.state ?? "";
  return ["loaded", "loading", "idle", "gone"].includes(state) ? state : "failed";
}

/** Whether a section holds weather, be it new or old. */
export function hasWeather(section) {
  return section?.querySelector(".weather-updated, .weather-temperature, .weather-line .weather-sky") != null;
}

/** Whether days of a trip are still being asked for. */
export function hasDaysToCome(section) {
  return section?.dataset.days === "loading";
}

/** What a section says in a sentence: the trip and its line where it is loaded, else why it isn't. */
export function sentence(section) {
  if (stateOf(section) === "loaded") {
    return Array.from(section.querySelectorAll(".weather-lead, .weather-line"), plain).join(". ");
  }
  return plain(section.querySelector(".weather-message") ?? section.querySelector(".weather-updated, p") ?? section);
}

/** A section of our own, of the same make as the program's. */
export function made(state, isLine, ...content) {
  const section = element("section", isLine ? "weather weather-short" : "weather", element("div", "weather-card", ...content));
  section.dataset.state = state;
  return section;
}

/** The shape of what will come. */
export function placeholder() {
  const lines = element("div", "weather-placeholder", ...Array.from({ length: 4 }, () => element("span")));
  lines.setAttribute("aria-hidden", "true");
  return lines;
}

/** The last weather stays, and says that it is the last and why, as the program's own old weather does. */
export function warn(section, { note, reason, retry, isLine }) {
  const old = section.querySelector(".weather-updated");
  if (isLine || !old) {
    // Room for a few words only. Whoever wants to know why finds it on the trip's page.
    old?.remove();
    const updated = element("p", "weather-updated", note, " ", retry);
    updated.dataset.stale = "error";
    section.querySelector(".weather-card").append(updated);
    return;
  }
  const message = old.querySelector(".weather-message");
  if (message) {
    message.textContent = reason;
  } else {
    old.dataset.stale = "error";
    old.append(note, element("span", "weather-message", reason), " ", retry);
  }
}

export function element(name, className = "", ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

function plain(node) {
  return (node?.textContent ?? "").trim().replace(/\s+/gu, " ");
}
