// Places whose names begin with what a field says, as a combobox with a listbox (WAI-ARIA, "list
// autocomplete with manual selection"): focus stays in the field, arrows move through the places.

import { say } from "./status.js";
import { pageWords } from "./words.js";

const endpoint = new URL("../api/places.json", import.meta.url);

/** A single letter begins too many names. */
const shortest = 2;
const timeout = 8_000;

export class Suggestions {
  #input;
  #choose;
  #list = document.createElement("ul");
  #places = [];
  #active = -1;
  #controller = null;

  /** `choose` gets the place that was chosen: { name, country, … } as /places has it. */
  constructor(input, choose) {
    this.#input = input;
    this.#choose = choose;
    this.#list.id = `${input.id}-places`;
    this.#list.className = "suggestions";
    this.#list.hidden = true;
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", pageWords.suggestions);
    input.after(this.#list);
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.#list.id, autocomplete: "off",
    })) input.setAttribute(name, value);

    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("blur", () => this.close());
    // A press on a place must not take the focus out of the field, which would close the list first.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#accept([...this.#list.children].indexOf(option));
    });
  }

  /** Asks for the places that begin with what the field says now. */
  async ask() {
    this.close();
    const text = this.#input.value.trim();
    if ([...text].length < shortest) return;
    const controller = new AbortController();
    this.#controller = controller;
    const limit = setTimeout(() => controller.abort(), timeout);
    try {
      const query = new URLSearchParams({ q: text, lang: document.documentElement.lang || "en" });
      const response = await fetch(`${endpoint}?${query}`, { headers: { Accept: "application/json" }, signal: controller.signal });
      if (!response.ok) return;
      const { places } = await response.json();
      if (this.#controller === controller && this.#input.value.trim() === text) this.#show(places);
    } catch {
      // Suggestions are a help and no more: the field works without them, and the weather below
      // it says by itself when the service can't be reached.
    } finally {
      clearTimeout(limit);
    }
  }

  /** Takes the list away and drops the question on its way. */
  close() {
    this.#controller?.abort();
    this.#controller = null;
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#activate(-1);
  }

  #show(places) {
    if (places.length === 0 || document.activeElement !== this.#input) return;
    this.#places = places;
    this.#list.replaceChildren(...places.map((place, index) => this.#option(place, index)));
    this.#open();
    say(pageWords.suggestionCount(places.length));
  }

  #open() {
    this.#list.hidden = false;
    this.#list.scrollTop = 0;
    this.#input.setAttribute("aria-expanded", "true");
    this.#activate(-1);
  }

  #option(place, index) {
    const option = document.createElement("li");
    option.id = `${this.#list.id}-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    const name = document.createElement("bdi");
    name.textContent = place.title ?? place.name;
    option.append(name);
    if (place.region && place.region !== place.name) {
      const region = document.createElement("bdi");
      region.className = "region";
      region.textContent = place.region;
      option.append(" ", region);
    }
    return option;
  }

  #activate(index) {
    this.#list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const option = this.#list.children[index];
    if (!option) {
      this.#input.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", option.id);
  }

  #accept(index) {
    const place = this.#places[index];
    this.close();
    this.#places = [];
    this.#choose(place);
  }

  #key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const isOpen = !this.#list.hidden;
    const count = this.#places.length;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        event.preventDefault();
        if (!isOpen) {
          if (count > 0) this.#open();
          else this.ask();
        } else {
          // One step past either end is the field itself, with nothing chosen.
          const step = event.key === "ArrowDown" ? 1 : -1;
          this.#activate(((this.#active + 1 + step + count + 1) % (count + 1)) - 1);
        }
        break;
      case "Enter":
        if (isOpen && this.#active >= 0) {
          event.preventDefault();
          this.#accept(this.#active);
        } else {
          this.close();
        }
        break;
      case "Escape":
        if (isOpen) {
          event.preventDefault();
          this.close();
        }
        break;
      default:
    }
  }

  /** What the list holds belongs to an older text. */
  forget() {
    this.#places = [];
    this.close();
  }
}
