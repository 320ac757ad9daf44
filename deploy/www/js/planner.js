// The planner: <details class="planner"> with ideas and the form of a new trip.

import { forget, remember, restore, trips } from "./draft.js";
import { fragment } from "./fragments.js";
import { say } from "./status.js";
import { TripForm, previewFor } from "./trip-form.js";
import { isPlain } from "./links.js";
import { pageWords } from "./words.js";

export class Planner {
  #details;
  #form;

  constructor(details) {
    this.#details = details;
    // A city in the address is a wish of its own.
    const form = details.querySelector("form.trip-form");
    if (form && !details.open && restore(form)) details.open = true;
    this.#enhance();
    details.addEventListener("toggle", () => {
      if (details.open) this.#form?.start();
      else this.#form?.stop();
    });
    details.addEventListener("click", (event) => this.#clicked(event));
    window.addEventListener("hashchange", () => this.#followHash());
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) this.#return();
    });
    this.#followHash();
    if (details.open) this.#form?.start();
  }

  #enhance() {
    const form = this.#details.querySelector("form.trip-form");
    this.#form = form ? new TripForm(form, previewFor(form)) : null;
    form?.addEventListener("submit", () => remember(form));
  }

  #followHash() {
    if (location.hash === "#planner") this.#details.open = true;
  }

  #clicked(event) {
    const link = event.target.closest("a");
    if (!link || !isPlain(event) || !this.#form) return;
    if (link.matches(".ideas a")) {
      event.preventDefault();
      this.#form.fill(link.dataset);
      say(pageWords.ideaTaken(link.dataset.city));
    } else if (link.matches(".cancel")) {
      event.preventDefault();
      forget();
      this.#form.element.reset();
      this.#details.open = false;
      this.#details.querySelector("summary").focus();
    }
  }

  /**
   * Back on a page that was kept as it stood. Where the form was sent from it, it needs a new key,
   * since the old one may stand for a trip that was added. Where none was, what was typed stays.
   */
  async #return() {
    if (!this.#form) return;
    const old = this.#form.element;
    const known = trips();
    this.#form.revive();
    if (!this.#form.isSent) return;
    const [form, list] = await Promise.all([
      fragment("/api/trips/form.html", "form.trip-form"), fragment("/api/trips.html", ".trips"),
    ]);
    if (!form) return;
    if (list && [...trips(list)].every((id) => known.has(id))) {
      old.elements.key.value = form.elements.key.value;
      return;
    }
    forget();
    this.#details.open = false;
    const preview = previewFor(old);
    preview.setAttribute("city", "");
    old.replaceWith(form);
    form.after(preview);
    this.#enhance();
  }
}
