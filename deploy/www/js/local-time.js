// <local-time zone="America/Los_Angeles" label="Local time">: the time there, each second, as
// "Local time 14:05:09". It stands in no live region, and stops while nobody sees it.

export class LocalTime extends HTMLElement {
  static observedAttributes = ["zone", "label"];

  #format = null;
  #time = document.createElement("time");
  #timer;
  #seen = () => this.#start();

  connectedCallback() {
    document.addEventListener("visibilitychange", this.#seen);
    this.#start();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this.#seen);
    clearTimeout(this.#timer);
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#start();
  }

  #start() {
    clearTimeout(this.#timer);
    this.#format = this.#formatter();
    if (this.#format === null) {
      this.replaceChildren();
      return;
    }
    if (this.#time.parentNode !== this) {
      const label = document.createElement("span");
      label.textContent = this.getAttribute("label") ?? "";
      this.replaceChildren(label, " ", this.#time);
    }
    this.firstElementChild.textContent = this.getAttribute("label") ?? "";
    if (!document.hidden) this.#tick();
  }

  /** From the clock each time, never by adding a second: a timer that comes late doesn't make it wrong. */
  #tick() {
    const now = Date.now();
    const text = this.#format.format(now);
    this.#time.textContent = text;
    this.#time.dateTime = text;
    this.#timer = setTimeout(() => this.#tick(), 1000 - (now % 1000));
  }

  #formatter() {
    const timeZone = this.getAttribute("zone") ?? "";
    const language = this.closest("[lang]")?.lang || undefined;
    if (timeZone === "") return null;
    try {
      return new Intl.DateTimeFormat(language, {
        timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", numberingSystem: "latn",
      });
    } catch (error) {
      // A zone that this browser doesn't know, or a language tag that is none.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }
}

// Loaded twice, the first stays.
if (!customElements.get("local-time")) customElements.define("local-time", LocalTime);
