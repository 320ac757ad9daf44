// Prepares the elements that the server wrote before <trip-weather> becomes one, so it is imported first.
// The strip asks as one: if several of its lines have no weather yet, one question for all trips is one
// question upstream. Lines that it doesn't answer then ask by themselves.

import { fragment } from "./fragments.js";

// Before <trip-weather> becomes one: the weather that the server put under the planner is the answer
// for the city in the planner's form, which the page itself couldn't write into the element.
const preview = document.querySelector("trip-weather.preview:has(section)");
const form = preview?.parentNode.querySelector("form.trip-form");
if (form) {
  for (const name of ["city", "country"]) preview.setAttribute(name, form.elements[name].value.trim());
}

// Before <trip-weather> becomes one: lines that are joined leave the asking to fillStrip().
const waiting = [...document.querySelectorAll(".strip trip-weather:not(:has(> [data-state=loaded]))")];
const isJoined = waiting.length > 1;
if (isJoined) for (const line of waiting) line.setAttribute("data-joined", "");

/** Asks for all joined lines, and fills in what comes. */
export async function fillStrip() {
  if (!isJoined) return;
  const strip = await fragment("/api/trips/weather.html", ".strip");
  for (const line of waiting) {
    // One that has asked by itself meanwhile, as by Retry, isn't joined any more.
    if (!line.isConnected || !line.hasAttribute("data-joined")) continue;
    const { id } = line.closest(".strip-item").dataset;
    const section = strip?.querySelector(`[data-id="${CSS.escape(id)}"] section[data-state=loaded]`);
    if (section) line.accept(section);
    else line.ask();
  }
}
