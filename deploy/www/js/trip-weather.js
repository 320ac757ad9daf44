// <trip-weather city="Bergen" country="Norway">: the weather of a place, as the program's HTML
// fragment, in light DOM. One question's life is the element's life:
//
//   connected      it asks, unless a loaded section already stands in it (put there by the server)
//   attribute set  it drops the question that is on its way and asks the new one
//   disconnected   it cancels
//
// Days of a trip that are still being asked for come with the next answers: it asks again for them,
// a few times, as long as it stands in the page.
//
// Attributes: city, country, latitude, longitude, placeid, start (2026-12-10), nights, units, lang; or, in
// place of the first seven, src: the address of a fragment without its suffix (/api/trips/ID/weather).
// form="line" shows it one row high. Units that the element doesn't say itself are those of the
// nearest [data-units] around it, and the language that of the nearest [lang].
// Event: "weather", bubbling, with detail { state, text, refreshed } whenever an answer is shown.

import { isPlain } from "./links.js";
import { countDown, isWaiting } from "./retry.js";
import { Failure, answer, questionOf, same, subjectNames } from "./weather-question.js";
import { element, hasDaysToCome, hasWeather, made, placeholder, sentence, stateOf, warn } from "./weather-section.js";
import { words } from "./words.js";

/** How long it waits each time for days that were still being asked for, in milliseconds. */
const daysComeAfter = [1000, 2000, 4000, 8000, 16_000];

export class TripWeather extends HTMLElement {
  static observedAttributes = [...subjectNames, "units", "lang", "src", "form"];

  /** "idle", "loading", "loaded", "failed" or "gone": what is on the screen. */
  #state = "idle";
  /** The question whose answer is on the screen; null where there is none. */
  #shown = null;
  /** The question on its way: { question, controller, keeping }. An answer to any other is dropped. */
  #present = null;
  /** Whether leaving the page has dropped a question. */
  #interrupted = false;
  /** Several attributes set in one go are one question. */
  #scheduled = false;
  /** Until days are asked for again that were still on their way; and how often they were. */
  #daysTimer = null;
  #daysAsked = 0;

  constructor() {
    super();
    this.addEventListener("click", (event) => this.#clicked(event));
  }

  get state() {
    return this.#state;
  }

  /** A page that is left may be kept, with what it has asked still on its way: nobody waits for that. */
  #left = () => {
    this.#interrupted = this.#present !== null;
    this.cancel();
  };

  /** Back on the page as it was kept. */
  #returned = () => {
    if (this.#interrupted) this.ask();
    else this.#awaitDays();
    this.#interrupted = false;
  };

  connectedCallback() {
    window.addEventListener("pagehide", this.#left);
    window.addEventListener("pageshow", this.#returned);
    const section = this.#section;
    if (section && this.#shown === null) {
      // Put there by the server, as the answer to what the attributes ask.
      this.#shown = questionOf(this);
      this.#state = stateOf(section);
      countDown(this, this.#words);
      this.#awaitDays();
    }
    this.#askUnlessJoined();
  }

  disconnectedCallback() {
    window.removeEventListener("pagehide", this.#left);
    window.removeEventListener("pageshow", this.#returned);
    this.cancel();
  }

  attributeChangedCallback(_name, before, after) {
    if (before === after || !this.isConnected || this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.isConnected) this.#askUnlessJoined();
    });
  }

  /** A line of a strip whose lines are asked for in one leaves it to that: ask() or accept() follows. */
  #askUnlessJoined() {
    if (!this.hasAttribute("data-joined")) this.ask();
  }

  /** Shows an answer that came with those to others. How it ended, as a state. */
  accept(section, { refreshing = false } = {}) {
    const question = questionOf(this);
    const ask = this.#begin(question, { keeping: this.#keeps(question), refreshing });
    return this.#settle(ask, section, null);
  }

  /** Waits for an answer that comes with those to others: refresh() or accept() follows. */
  join() {
    this.#drop();
    this.setAttribute("aria-busy", "true");
  }

  /** Asks, unless the answer is shown or on its way. Weather in other units stays until the answer is there. */
  async ask() {
    const question = questionOf(this);
    this.#unmark();
    if (question !== null && same(question, this.#present?.question)) return;
    if (question !== null && same(question, this.#shown) && ["loaded", "gone"].includes(this.#state)) {
      // Back to what is shown while another question was on its way.
      this.#drop();
      this.#awaitDays();
      return;
    }
    if (this.#keeps(question)) await this.#answer(this.#begin(question, { keeping: true, refreshing: false }));
    else await this.load();
  }

  /** Asks, starting from nothing: what is shown belongs to another question. */
  async load() {
    const question = questionOf(this);
    if (question === null) {
      this.#drop();
      this.#show("idle", made("idle", this.#isLine, element("p", "weather-message", this.#words.idle)), null);
      return "idle";
    }
    const ask = this.#begin(question, { keeping: false, refreshing: false });
    this.#show("loading", this.#skeleton(), null);
    return this.#answer(ask);
  }

  /** Asks again, past what is still held to be fresh, and keeps the weather that is shown until the answer is there. */
  async refresh() {
    const question = questionOf(this);
    if (!this.#keeps(question)) return this.load();
    return this.#answer(this.#begin(question, { keeping: true, refreshing: true }));
  }

  /** Drops the question on its way. After a cancelled refresh the weather stands as it was. */
  cancel() {
    this.#drop();
    this.#stopAwaitingDays();
    if (this.#state === "loading") this.#show("idle", null, null);
  }

  /** Drops the question on its way, since another is about to come: ask() follows. */
  hold() {
    this.#drop();
    this.setAttribute("data-held", "");
    this.#stopAwaitingDays();
  }

  /** As hold(), for a place that is not the one shown: nothing of the older one stays. */
  wait() {
    this.#drop();
    if (this.#state !== "loading") this.#show("loading", this.#skeleton(), null);
  }

  get #section() {
    return this.querySelector(":scope > section:is(.weather, .gone)");
  }

  get #words() {
    return words(this.closest("[lang]")?.lang);
  }

  get #isLine() {
    return this.getAttribute("form") === "line";
  }

  /** Whether what is shown may stay until the answer is there: weather of the same place. */
  #keeps(question) {
    return question !== null && question.place === this.#shown?.place && hasWeather(this.#section);
  }

  #begin(question, { keeping, refreshing }) {
    this.#drop();
    this.#unmark();
    this.#stopAwaitingDays();
    this.#present = { question, keeping, refreshing, controller: new AbortController() };
    this.setAttribute("aria-busy", "true");
    return this.#present;
  }

  /** Asks again after a while if days of the trip are still on their way; not for ever. */
  #awaitDays() {
    this.#stopAwaitingDays();
    const wait = daysComeAfter[this.#daysAsked];
    if (wait === undefined || !hasDaysToCome(this.#section)) return;
    this.#daysTimer = setTimeout(async () => {
      this.#daysAsked += 1;
      const question = questionOf(this);
      if (!same(question, this.#shown)) return;
      const ask = this.#begin(question, { keeping: true, refreshing: false });
      ask.isForDays = true;
      // Nothing of the reader's is on its way.
      this.removeAttribute("aria-busy");
      await this.#answer(ask);
    }, wait);
  }

  #stopAwaitingDays() {
    clearTimeout(this.#daysTimer);
    this.#daysTimer = null;
  }

  #unmark() {
    for (const name of ["data-held", "data-joined"]) this.removeAttribute(name);
  }

  #drop() {
    const ask = this.#present;
    this.#present = null;
    this.removeAttribute("aria-busy");
    ask?.controller.abort();
  }

  /** Waits for the answer and shows it, if it still is the answer to what is asked now. How it ended, as a state. */
  async #answer(ask) {
    let section, status, failure;
    try {
      ({ section, status } = await answer(ask.question, { ...ask, words: this.#words }));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
    }
    // Cancelled, or overtaken by another question: neither an error nor an empty answer.
    if (this.#present !== ask || !same(questionOf(this), ask.question)) return this.#state;

    // Somebody is still typing: a beginning that is no place yet is no failure.
    if (status === 404 && this.hasAttribute("data-typing") && stateOf(section) === "failed") {
      this.#drop();
      this.#show("idle", made("idle", this.#isLine, element("p", "weather-message", this.#words.notYet)), null);
      return "idle";
    }
    return this.#settle(ask, section, failure);
  }

  /** Shows the answer, or why there is none. How it ended, as a state. */
  #settle(ask, section, failure) {
    this.#present = null;
    this.removeAttribute("aria-busy");
    if (!ask.isForDays) this.#daysAsked = 0;
    const state = section ? stateOf(section) : "failed";
    // A failed answer may hold weather too, the last that the service had, and says so itself.
    const hasNone = state === "failed" && !hasWeather(section);
    if (hasNone && ask.isForDays) {
      // What is shown stands as it was: nobody asked for more.
      this.#awaitDays();
    } else if (hasNone && ask.keeping && ask.question.subject === this.#shown?.subject) {
      const reason = failure?.message ?? sentence(section);
      const note = this.#isLine ? this.#words.notRefreshedShort : this.#words.notRefreshed;
      warn(this.#section, { note, reason, retry: this.#retry(section), isLine: this.#isLine });
      countDown(this, this.#words);
      this.#tell(state, ask.refreshing, reason);
    } else {
      this.#show(state, section ?? this.#failed(failure.message), ask.question);
      this.#awaitDays();
      // Days that come one after the other are said once, with the last of them.
      if (!ask.isForDays || !hasDaysToCome(section)) this.#tell(state, ask.refreshing, sentence(this.#section));
    }
    return state;
  }

  /** Puts one state on the screen, in place of whatever was there. */
  #show(state, content, question) {
    const hadFocus = this.contains(document.activeElement);
    // A card keeps its size while it waits; a line has one size always.
    const keeps = state === "loading" && this.childElementCount > 0 && !this.#isLine;
    this.style.minBlockSize = keeps ? `${this.offsetHeight}px` : "";
    this.#state = state;
    this.#shown = question;
    this.replaceChildren(...(content ? [content] : []));
    countDown(this, this.#words);
    if (hadFocus) this.#keepFocus();
  }

  /** A keyboard stays where it was when the link under it goes. */
  #keepFocus() {
    if (!this.hasAttribute("tabindex")) this.tabIndex = -1;
    (this.querySelector("a.retry") ?? this).focus({ preventScroll: true });
  }

  #tell(state, refreshed, said) {
    const text = state === "loaded" && refreshed ? this.#words.updated(said) : said;
    this.dispatchEvent(new CustomEvent("weather", { bubbles: true, detail: { state, text, refreshed } }));
  }

  #failed(message) {
    return made("failed", this.#isLine, element("p", "weather-message", message), element("p", "weather-retry", this.#retry()));
  }

  #skeleton() {
    return made("loading", this.#isLine, placeholder(), element("p", "weather-message", this.#words.loading));
  }

  /** Retry is a link that loads the page again; here it only asks again. */
  #retry(section = null) {
    const link = element("a", "retry", this.#words.retry);
    link.href = "";
    const seconds = section?.querySelector("a.retry")?.dataset.retryAfter;
    if (seconds) link.dataset.retryAfter = seconds;
    return link;
  }

  #clicked(event) {
    const link = event.target.closest?.("a.retry");
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    if (!isWaiting(link)) this.refresh();
  }
}

// Loaded twice, the first stays.
if (!customElements.get("trip-weather")) customElements.define("trip-weather", TripWeather);
