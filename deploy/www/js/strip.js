// The strip asks as one: where several of its lines have no weather yet, one question for all trips
// is one question upstream. Lines that it doesn't answer ask by themselves then.

import { fragment } from "./fragments.js";

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
    if (section) line.take(section);
    else line.ask();
  }
}
