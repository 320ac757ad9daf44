// The City field with its preview: the weather of what the form says now, there and on its days, asked
// once typing pauses.

import { Suggestions } from "./suggestions.js";

/** How long typing pauses before anything is asked, in milliseconds. */
const quiet = 500;

export class CityField {
  #city;
  #country;
  #days;
  #preview;
  #suggestions;
  #pause = null;
  #daysPause = null;
  /** The country that was filled in with a city, not typed: it goes when the city is changed by hand. */
  #filledCountry = null;

  constructor(form, preview) {
    this.#city = form.elements.city;
    this.#country = form.elements.country;
    this.#days = [form.elements.start, form.elements.nights];
    this.#preview = preview;
    this.#suggestions = new Suggestions(this.#city, (place) => {
      this.fill({ city: place.name, country: place.country ?? "", place });
    });
    // While a word is being composed (Japanese, Chinese, …) the field holds no city yet.
    this.#city.addEventListener("compositionstart", () => {
      this.#stopPause();
      this.#preview.hold();
      this.#suggestions.forget();
    });
    this.#city.addEventListener("compositionend", () => this.#cityChanged());
    this.#city.addEventListener("input", (event) => {
      this.#preview.toggleAttribute("data-typing", true);
      if (!event.isComposing) this.#cityChanged();
    });
    // Typing has ended: a place that isn't known is said now.
    this.#city.addEventListener("change", () => {
      if (!this.#preview.hasAttribute("data-typing")) return;
      this.#preview.removeAttribute("data-typing");
      if (this.#pause === null) this.ask();
    });
    this.#country.addEventListener("compositionend", () => this.#changed());
    this.#country.addEventListener("input", (event) => {
      this.#filledCountry = null;
      this.#mean(null);
      if (!event.isComposing) this.#changed();
    });
  }

  /** The days may have changed: what is shown stays until the weather of the new ones is there. */
  daysChanged() {
    const areAsked = this.#daysNow.every((day, index) => day === this.#daysAsked[index]);
    // A pause that is running ends in a question about these days too.
    if (this.#city.value.trim() === "" || areAsked || this.#pause !== null) return;
    this.#preview.hold();
    clearTimeout(this.#daysPause);
    this.#daysPause = setTimeout(() => this.ask(), quiet);
  }

  /** Which place the field means, in the form's hidden fields; null for whichever has the name. */
  #mean(place) {
    const { placeId, latitude, longitude } = this.#city.form.elements;
    if (!placeId) return;
    placeId.value = place?.id ?? "";
    latitude.value = place?.latitude ?? "";
    longitude.value = place?.longitude ?? "";
  }

  /** Fills in a city with its country, as an idea or a suggestion names them, and asks at once. A suggestion is that place, whatever others have its name. */
  fill({ city, country, place = null }) {
    this.#mean(place);
    this.#city.value = city;
    this.#country.value = country;
    this.#filledCountry = country;
    this.#preview.removeAttribute("data-typing");
    this.#suggestions.forget();
    this.ask();
    this.#city.form.dispatchEvent(new Event("change"));
  }

  /** Asks about what the fields say now; about nothing if the city is empty. */
  ask() {
    this.#stopPause();
    const { city, country } = this.#now;
    this.#preview.setAttribute("city", city);
    this.#preview.setAttribute("country", city === "" ? "" : country);
    for (const [index, name] of ["start", "nights"].entries()) this.#preview.setAttribute(name, this.#daysNow[index]);
    const { placeId } = this.#city.form.elements;
    if (placeId?.value && city !== "") this.#preview.setAttribute("placeid", placeId.value);
    else this.#preview.removeAttribute("placeid");
    this.#preview.ask();
  }

  /** The field is seen: asks, unless somebody is typing already. */
  start() {
    if (this.#pause === null) this.ask();
  }

  /** Drops everything that is on its way: the field is no longer seen. */
  stop() {
    this.#stopPause();
    this.#preview.removeAttribute("data-typing");
    this.#suggestions.forget();
    this.#preview.cancel();
  }

  get #now() {
    return { city: this.#city.value.trim(), country: this.#country.value.trim() };
  }

  /** The day of departure and the nights; nothing as long as either is no answer yet. */
  get #daysNow() {
    return this.#days.every((field) => field.value !== "" && field.validity.valid) ? this.#days.map((field) => field.value) : ["", ""];
  }

  get #daysAsked() {
    return ["start", "nights"].map((name) => this.#preview.getAttribute(name) ?? "");
  }

  #cityChanged() {
    this.#mean(null);
    this.#suggestions.forget();
    if (this.#filledCountry !== null && this.#country.value === this.#filledCountry) this.#country.value = "";
    this.#filledCountry = null;
    this.#changed(() => this.#suggestions.ask());
  }

  #changed(also = () => {}) {
    const { city, country } = this.#now;
    // Empty: the weather goes at once.
    if (city === "") {
      this.ask();
      return;
    }
    const isAsked = city === this.#preview.getAttribute("city") && country === this.#preview.getAttribute("country");
    if (this.#pause === null && isAsked && !this.#preview.hasAttribute("data-held")) return;
    this.#stopPause();
    this.#preview.wait();
    this.#pause = setTimeout(() => {
      this.ask();
      also();
    }, quiet);
  }

  #stopPause() {
    clearTimeout(this.#pause);
    clearTimeout(this.#daysPause);
    this.#pause = null;
  }
}
