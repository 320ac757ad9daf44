// The page: its address, its form and its card ask the same.

const form = document.querySelector("form");
const { city: field, start, nights, units } = form.elements;
const card = document.querySelector("trip-weather");
const status = document.querySelector("#status");

/** What an address may ask; the form and the card have the same names. */
const names = ["city", "country", "start", "nights", "units", "lang"];

/** What the card asks as the page is delivered: what an address without a city means. */
const home = { city: card.getAttribute("city"), country: card.getAttribute("country") };

/** How long typing pauses before the card asks, in milliseconds. */
const quiet = 500;

let pause;

// The question

function questionOf(search) {
  const query = new URLSearchParams(search);
  const asked = Object.fromEntries(names.map((name) => [name, (query.get(name) ?? "").trim()]));
  return asked.city === "" ? { ...asked, ...home } : asked;
}

function addressOf(asked) {
  const query = new URLSearchParams();
  for (const name of names) {
    if (asked[name] && (name !== "nights" || asked.start)) query.set(name, asked[name]);
  }
  return `/?${query}`;
}

/** The form's question about a city. A country belongs to the city that it came with. */
function typed(city) {
  return {
    city,
    country: city === card.getAttribute("city") ? card.getAttribute("country") : null,
    start: start.value,
    nights: nights.value,
    units: units.value,
    lang: card.getAttribute("lang"),
  };
}

// The card

function set(asked) {
  for (const name of names) {
    const value = name === "nights" && !asked.start ? null : asked[name];
    if (value) card.setAttribute(name, value);
    else card.removeAttribute(name);
  }
}

function ask(asked) {
  clearTimeout(pause);
  set(asked);
  card.ask();
}

/** Asks once nothing has changed for a while. What was asked until now is of no use any more. */
function askSoon(asked) {
  clearTimeout(pause);
  card.hold();
  pause = setTimeout(() => ask(asked()), quiet);
}

// The form

function fill(search) {
  const asked = questionOf(search);
  field.value = new URLSearchParams(search).get("city")?.trim() ?? "";
  start.value = asked.start;
  if (asked.nights) nights.value = asked.nights;
  if (asked.start) form.querySelector("details").open = true;
  units.value = asked.units;
}

/** Where nobody has chosen, the switch says what the card shows. */
function showUnits() {
  const temperature = card.querySelector(".weather-temperature")?.textContent;
  if (units.value === "" && temperature) units.value = temperature.includes("°F") ? "imperial" : "metric";
}

function open(asked, { replacing = false } = {}) {
  const address = addressOf(asked);
  if (address !== location.pathname + location.search) {
    history[replacing ? "replaceState" : "pushState"](null, "", address);
  }
  entitle();
  ask(asked);
}

function entitle() {
  const city = new URLSearchParams(location.search).get("city");
  document.title = city ? `${city} – Trip Weather` : "Trip Weather";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const city = field.value.trim();
  if (city !== "") open(typed(city));
});

function cityChanged() {
  const city = field.value.trim();
  if (city === "") ask(typed(""));
  else askSoon(() => typed(field.value.trim()));
}

// While a word is being composed (Japanese, Chinese, …) the field holds no city yet.
field.addEventListener("input", (event) => {
  if (!event.isComposing) cityChanged();
});
field.addEventListener("compositionstart", () => clearTimeout(pause));
field.addEventListener("compositionend", cityChanged);

form.addEventListener("change", (event) => {
  const city = field.value.trim() || card.getAttribute("city");
  if (event.target === field || !city || !start.validity.valid || !nights.validity.valid) return;
  if (event.target.name === "units") open(typed(city), { replacing: true });
  else askSoon(() => typed(city));
});

// Links and the way back

document.querySelector(".ideas").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || !plain(event)) return;
  event.preventDefault();
  const { city, country } = questionOf(link.search);
  field.value = city;
  open({ ...typed(city), country });
});

document.querySelector(".refresh").addEventListener("click", (event) => {
  if (!plain(event)) return;
  event.preventDefault();
  card.refresh();
});

/** A click that isn't meant for another tab or window. */
function plain(event) {
  return event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
}

window.addEventListener("popstate", () => {
  fill(location.search);
  entitle();
  ask(questionOf(location.search));
});

// One live region for the whole page. It is emptied first, so that the same sentence is said again.
card.addEventListener("weather", ({ detail }) => {
  showUnits();
  status.textContent = "";
  requestAnimationFrame(() => {
    status.textContent = detail.text;
  });
});

// The card gets its question before it becomes one: the server has already put the answer into it.
fill(location.search);
entitle();
set(questionOf(location.search));
await import("./trip-weather.js");
showUnits();
