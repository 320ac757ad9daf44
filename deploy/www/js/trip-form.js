// A trip's form, to plan one or to edit one: the program's plain form, and what script adds to it.

import { CityField } from "./city-field.js";
import { DraftCard } from "./draft-card.js";
import { addSteppers } from "./steppers.js";

export class TripForm {
  #form;
  #field;
  #isSent = false;

  /** `preview` is the <trip-weather> that shows the weather of the city in the field. */
  constructor(form, preview) {
    this.#form = form;
    form.querySelector('[data-field="city"]').after(preview);
    this.#field = new CityField(form, preview);
    addSteppers(form);
    new DraftCard(form);
    for (const name of ["input", "change"]) {
      form.addEventListener(name, () => {
        this.#allow();
        this.#field.daysChanged();
      });
    }
    form.addEventListener("reset", () => setTimeout(() => {
      this.#allow();
      this.#field.ask();
    }));
    // A second tap while the first is on its way does nothing. The fields go with the first.
    form.addEventListener("submit", () => {
      this.#isSent = true;
      this.#button.disabled = true;
    });
    // Leaving the page ends the questions too.
    window.addEventListener("pagehide", () => this.stop());
    this.#allow();
  }

  get element() {
    return this.#form;
  }

  /** Whether it has been sent from this page, perhaps before the page was kept and came back. */
  get isSent() {
    return this.#isSent;
  }

  /** Fills in an idea. */
  fill({ city, country, nights }) {
    if (nights) this.#form.elements.nights.value = nights;
    this.#field.fill({ city, country });
  }

  /** Shows the weather of what the form holds. */
  start() {
    this.#field.start();
  }

  /** Drops all that is on its way. */
  stop() {
    this.#field.stop();
  }

  /** Lets the form be sent (again), unless the city is empty. */
  #allow() {
    this.#button.disabled = this.#form.elements.city.value.trim() === "";
  }

  /** Back on a page that was kept as it stood: the form can be sent (again). */
  revive() {
    this.#allow();
    if (!this.#form.closest("details:not([open])")) this.start();
  }

  get #button() {
    return this.#form.querySelector(".form-actions button.primary");
  }
}

/** The weather line of a form that the page has none for, such as one that came back with faults. */
export function previewFor(form) {
  const ready = form.parentNode.querySelector("trip-weather.preview");
  if (ready) return ready;
  const made = document.createElement("trip-weather");
  made.className = "preview";
  made.setAttribute("form", "line");
  return made;
}
