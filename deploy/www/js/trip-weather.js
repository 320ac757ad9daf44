// <trip-weather city="Bergen" country="Norway">: the weather of a place, as the program's HTML
// fragment, in light DOM. One question's life is the element's life:
//
//   connected      it asks, unless a loaded section already stands in it (put there by the server)
//   attribute set  it drops the question that is on its way and asks the new one
//   disconnected   it cancels
//
// Attributes: city, country, latitude, longitude, start (2026-12-10), nights, units, lang.
// Event: "weather", bubbling, with detail { state, text, refreshed } whenever an answer is shown.

import { words } from "./words.js";

const asked = ["city", "country", "latitude", "longitude", "start", "nights", "units", "lang"];

/** Longer than the program takes for its slowest answer (8 s), and than nginx waits for it (10 s). */
const patience = 12_000;

/** The program stands beside the folder of this script, wherever a server mounts both. */
const address = new URL("../weather.html", import.meta.url);

/** Why a question has no answer, in a sentence for people. */
class Failure extends Error {}

export class TripWeather extends HTMLElement {
  static observedAttributes = asked;

  /** "idle", "loading", "loaded" or "failed": what is on the screen. */
  #state = "idle";
  /** The question whose answer is on the screen, as a query. */
  #shown = null;
  /** The question on its way: { question, controller, refreshing }. An answer to any other is dropped. */
  #present = null;
  /** Several attributes set in one go are one question. */
  #scheduled = false;

  constructor() {
    super();
    this.addEventListener("click", (event) => this.#clicked(event));
  }

  get state() {
    return this.#state;
  }

  connectedCallback() {
    const section = this.#section;
    if (section && this.#shown === null) {
      // Put there by the server, as the answer to what the attributes ask.
      this.#shown = this.#question();
      this.#state = section.dataset.state;
    }
    this.ask();
  }

  disconnectedCallback() {
    this.cancel();
  }

  attributeChangedCallback(_name, before, after) {
    if (before === after || !this.isConnected || this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.isConnected) this.ask();
    });
  }

  /** Asks, unless the answer is shown or on its way. */
  async ask() {
    const question = this.#question();
    this.removeAttribute("data-held");
    if (question !== null && question === this.#present?.question) return;
    if (question !== null && question === this.#shown && this.#state === "loaded") return;
    await this.refresh();
  }

  /** Asks, starting from nothing: what is shown belongs to another question. */
  async load() {
    const question = this.#question();
    if (question === null) {
      this.#drop();
      this.#show("idle", card("idle", element("p", "weather-message", this.#words.idle)), null);
      return;
    }
    const ask = this.#begin(question, false);
    this.#show("loading", this.#skeleton(), null);
    await this.#answer(ask);
  }

  /** Asks again and keeps the weather that is shown until the answer is there. */
  async refresh() {
    const question = this.#question();
    if (question === null || question !== this.#shown || !hasWeather(this.#section)) return this.load();
    await this.#answer(this.#begin(question, true));
  }

  /** Drops the question on its way. After a cancelled refresh the weather stands as it was. */
  cancel() {
    this.#drop();
    if (this.#state === "loading") this.#show("idle", null, null);
  }

  /** Drops the question on its way, since another is about to come: ask() follows. */
  hold() {
    this.#drop();
    this.setAttribute("data-held", "");
  }

  get #section() {
    return this.querySelector(":scope > section.weather");
  }

  get #words() {
    return words(this.closest("[lang]")?.lang);
  }

  /** The question that the attributes ask, as a query; null when they name no place. */
  #question() {
    const value = (name) => (this.getAttribute(name) ?? "").trim().replace(/\s+/gu, " ");
    const query = new URLSearchParams();
    for (const name of asked) {
      if (name === "nights" && value("start") === "") continue;
      if (value(name) !== "") query.set(name, value(name));
    }
    const named = query.has("city") || (query.has("latitude") && query.has("longitude"));
    return named ? query.toString() : null;
  }

  #begin(question, refreshing) {
    this.#drop();
    this.removeAttribute("data-held");
    this.#present = { question, refreshing, controller: new AbortController() };
    this.setAttribute("aria-busy", "true");
    return this.#present;
  }

  #drop() {
    const ask = this.#present;
    this.#present = null;
    this.removeAttribute("aria-busy");
    ask?.controller.abort();
  }

  /** Waits for the answer and shows it, if it still is the answer to what is asked now. */
  async #answer(ask) {
    let section, failure;
    try {
      section = await this.#fetch(ask);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
    }
    // Cancelled, or overtaken by another question: neither an error nor an empty answer.
    if (this.#present !== ask || this.#question() !== ask.question) return;
    this.#present = null;
    this.removeAttribute("aria-busy");

    const state = section?.dataset.state === "loaded" ? "loaded" : "failed";
    // A failed answer may hold weather too, the last that the service had, and says so itself.
    if (state === "failed" && ask.refreshing && !hasWeather(section)) {
      this.#warn(failure?.message ?? reason(section));
    } else {
      this.#show(state, section ?? this.#failed(failure.message), ask.question);
    }
    this.#tell(state, ask.refreshing);
  }

  /** The section of the answer, whatever its status: a failure is a fragment too, which says what to do. */
  async #fetch({ question, refreshing, controller }) {
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      controller.abort();
    }, patience);
    let html, type;
    try {
      // A refresh asks past what the program still holds to be fresh.
      const response = await fetch(`${address}?${question}${refreshing ? "&refresh=1" : ""}`, {
        headers: { Accept: "text/html" },
        cache: refreshing ? "no-cache" : "default",
        signal: controller.signal,
      });
      type = response.headers.get("Content-Type") ?? "";
      html = await response.text();
    } catch (error) {
      throw new Failure(late ? this.#words.late : this.#words.unreachable, { cause: error });
    } finally {
      clearTimeout(limit);
    }
    const section = /^text\/html\b/i.test(type) ? read(html) : null;
    if (!section) throw new Failure(this.#words.unreadable);
    return section;
  }

  /** Puts one state on the screen, in place of whatever was there. */
  #show(state, content, question) {
    const hadFocus = this.contains(document.activeElement);
    // The card keeps its size while it waits.
    this.style.minBlockSize = state === "loading" && this.childElementCount > 0 ? `${this.offsetHeight}px` : "";
    this.#state = state;
    this.#shown = question;
    this.replaceChildren(...(content ? [content] : []));
    if (hadFocus) this.#keepFocus();
  }

  /** A keyboard stays where it was when the link under it goes. */
  #keepFocus() {
    if (!this.hasAttribute("tabindex")) this.tabIndex = -1;
    (this.querySelector("a.retry") ?? this).focus({ preventScroll: true });
  }

  /** The last weather stays, and says that it is the last and why, as the program's own old weather does. */
  #warn(reason) {
    const updated = this.#section.querySelector(".weather-updated");
    const message = updated.querySelector(".weather-message");
    if (message) {
      message.textContent = reason;
    } else {
      updated.dataset.stale = "error";
      updated.append(this.#words.notRefreshed, element("span", "weather-message", reason), " ", this.#retry());
    }
  }

  #tell(state, refreshed) {
    const section = this.#section;
    const line = plain(section.querySelector(".weather-line"));
    const text = state === "failed" ? reason(section) : refreshed ? this.#words.updated(line) : line;
    this.dispatchEvent(new CustomEvent("weather", { bubbles: true, detail: { state, text, refreshed } }));
  }

  #failed(message) {
    return card("failed", element("p", "weather-message", message), element("p", "weather-retry", this.#retry()));
  }

  #skeleton() {
    const bones = element("div", "weather-bones");
    bones.setAttribute("aria-hidden", "true");
    for (let bone = 0; bone < 4; bone += 1) bones.append(element("span"));
    return card("loading", bones, element("p", "weather-message", this.#words.loading));
  }

  /** Retry is a link that loads the page again; here it only asks again. */
  #retry() {
    const link = element("a", "retry", this.#words.retry);
    link.href = "";
    return link;
  }

  #clicked(event) {
    const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || elsewhere || !event.target.closest?.("a.retry")) return;
    event.preventDefault();
    this.refresh();
  }
}

/** The one section of an answer. Parsed apart from the page: nothing in it runs, and nothing else is taken. */
function read(html) {
  const section = new DOMParser().parseFromString(html, "text/html").querySelector("section.weather");
  return section ? document.importNode(section, true) : null;
}

/** Whether a section holds weather, be it new or old. */
function hasWeather(section) {
  return section?.querySelector(".weather-updated") != null;
}

/** A section of our own, of the same make as the program's. */
function card(state, ...content) {
  const section = element("section", "weather", element("div", "weather-card", ...content));
  section.dataset.state = state;
  return section;
}

/** What a failed section says in words. */
function reason(section) {
  return plain(section?.querySelector(".weather-message") ?? section);
}

function plain(node) {
  return (node?.textContent ?? "").trim().replace(/\s+/gu, " ");
}

function element(name, className = "", ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

customElements.define("trip-weather", TripWeather);
