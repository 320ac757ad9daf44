// A card of the trip being planned, as it will stand among the trips. Everything on it is in the
// fields already, so it is for the eye alone.

import { element } from "./weather-section.js";
import { pageWords } from "./words.js";

export class DraftCard {
  #form;
  #city = element("bdi");
  #country = element("bdi");
  #picture = element("span", "trip-picture");
  #dates = element("span", "trip-dates");
  #nights = element("span", "trip-nights");
  #price = element("span", "trip-price");
  #favourite = element("span", "trip-favourite");

  constructor(form) {
    this.#form = form;
    const card = element(
      "div", "draft-card", this.#picture, element("span", "trip-city", this.#city), element("span", "trip-country", this.#country),
      this.#dates, this.#nights, this.#price, this.#favourite);
    card.setAttribute("aria-hidden", "true");
    form.querySelector(".form-actions").before(card);
    form.addEventListener("input", () => this.update());
    form.addEventListener("change", () => this.update());
    // The fields are empty only after the event.
    form.addEventListener("reset", () => setTimeout(() => this.update()));
    this.update();
  }

  update() {
    const { city, country, start, nights, price, picture } = this.#form.elements;
    const count = nights.validity.valid ? nights.valueAsNumber : NaN;
    this.#city.textContent = city.value.trim() || pageWords.someCity;
    this.#city.parentNode.toggleAttribute("data-empty", city.value.trim() === "");
    this.#country.textContent = country.value.trim();
    this.#dates.textContent = dates(start.valueAsDate, count);
    this.#nights.textContent = Number.isNaN(count) ? "" : pageWords.nights(count);
    this.#price.textContent = dollars(price.valueAsNumber);
    const star = this.#form.querySelector("[type=checkbox][name=favourite]");
    this.#favourite.hidden = !star?.checked;
    this.#favourite.textContent = star?.labels[0]?.textContent.trim() ?? "";
    this.#show(picture?.value ?? "");
  }

  #show(name) {
    if (name === (this.#picture.dataset.picture ?? "")) return;
    // The radio buttons name the pictures there are; a name is never made into an address here.
    const small = this.#form.querySelector(`[name=picture][value="${CSS.escape(name)}"]`)?.parentNode.querySelector("img");
    const picture = small ? element("img", "trip-picture") : element("span", "trip-picture");
    if (small) {
      Object.assign(picture, { alt: "", width: 640, height: 400, src: small.getAttribute("src").replace("-320.", "-640.") });
    }
    picture.dataset.picture = name;
    this.#picture.replaceWith(picture);
    this.#picture = picture;
  }
}

/** "6 – 10 December 2026": dates of a calendar, which no time zone moves. */
function dates(start, nights) {
  if (start === null) return "";
  const format = new Intl.DateTimeFormat(dateLocale(), { dateStyle: "long", timeZone: "UTC" });
  if (Number.isNaN(nights)) return format.format(start);
  return format.formatRange(start, new Date(start.getTime() + nights * 86_400_000));
}

/** The program writes its English dates the British way. */
function dateLocale() {
  const { lang } = document.documentElement;
  return /^en$/i.test(lang) ? "en-GB" : lang;
}

function dollars(amount) {
  if (Number.isNaN(amount)) return "";
  return new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency: "USD", maximumFractionDigits: 0 })
    .format(amount);
}
