// What a <trip-weather> asks, and the asking. A question has a subject, the address of a fragment,
// and parameters, how the answer is to be said: weather of one place may stay on the screen until
// it is there for other days or in other units.

import { read } from "./weather-section.js";

/** What names a place, and the days there. */
const placeNames = ["city", "country", "latitude", "longitude"];
export const subjectNames = [...placeNames, "placeid", "start", "nights"];

/** Longer than the program takes for its slowest answer (8 s), and than nginx waits for it (10 s). */
const timeout = 12_000;

/** Relative to the folder of this script, wherever a server mounts both. */
const endpoint = new URL("../weather.html", import.meta.url);

/** Why a question has no answer, in a sentence for people. */
export class Failure extends Error {}

/** The question that an element's attributes ask; null when they name no place. */
export function questionOf(element) {
  const value = (name) => (element.getAttribute(name) ?? "").trim().replace(/\s+/gu, " ");
  const query = new URLSearchParams();
  let address = endpoint;
  let place = value("src");
  if (value("src") !== "") {
    address = new URL(`${value("src")}.html`, document.baseURI);
  } else {
    if (value("placeid") !== "") query.set("placeId", value("placeid"));
    for (const name of query.has("placeId") ? [] : placeNames) {
      if (value(name) !== "") query.set(name, value(name));
    }
    if (!query.has("city") && !query.has("placeId") && !(query.has("latitude") && query.has("longitude"))) return null;
    place = query.toString();
    for (const name of ["start", "nights"]) {
      if (value("start") !== "" && value(name) !== "") query.set(name, value(name));
    }
  }
  if (["line", "chart"].includes(value("form"))) query.set("form", value("form"));
  const parameters = new URLSearchParams();
  const units = value("units") || element.closest("[data-units]")?.dataset.units;
  if (units) parameters.set("units", units);
  const language = value("lang") || spoken(element.closest("[lang]")?.lang);
  if (language) parameters.set("lang", language);
  return { subject: `${address}?${query}`, place, parameters: parameters.toString() };
}

export function same(question, other) {
  return question?.subject === other?.subject && question?.parameters === other?.parameters;
}

/**
 * The section of the answer and its status: a failure is a fragment too, which says what to do.
 * A refresh asks past what the program still holds to be fresh. Ends when the controller aborts.
 */
export async function answer(question, { refreshing, controller, words }) {
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeout);
  let html, type, status;
  try {
    const address = new URL(question.subject);
    for (const [name, value] of new URLSearchParams(question.parameters)) address.searchParams.set(name, value);
    if (refreshing) address.searchParams.set("refresh", "1");
    const response = await fetch(address, {
      headers: { Accept: "text/html" },
      cache: refreshing ? "no-cache" : "default",
      signal: controller.signal,
    });
    status = response.status;
    type = response.headers.get("Content-Type") ?? "";
    html = await response.text();
  } catch (error) {
    throw new Failure(late ? words.late : words.unreachable, { cause: error });
  } finally {
    clearTimeout(limit);
  }
  const section = /^text\/html\b/i.test(type) ? read(html) : null;
  if (!section) throw new Failure(words.unreadable);
  return { section, status };
}

/** A page's language where the program speaks it; else nothing is asked, and the program decides. */
function spoken(tag) {
  return /^(?:en|de)\b/i.exec(tag ?? "")?.[0].toLowerCase();
}
