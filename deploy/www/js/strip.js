// The strip asks as one: one question for all trips is one question upstream. Lines that it doesn't answer
// then ask by themselves.

import { fragment } from "./fragments.js";

// Before <trip-weather> becomes one: lines that have no weather yet leave the asking to fillStrip().
const waiting = [...document.querySelectorAll(".strip trip-weather:not(:has(> [data-state=loaded]))")];
const isJoined = waiting.length > 1;
if (isJoined) for (const line of waiting) line.setAttribute("data-joined", "");

/** Asks for all joined lines, and fills in what comes. */
export async function fillStrip() {
  if (!isJoined) return;
  const answered = await answers();
  for (const line of waiting) {
    // One that has asked by itself meanwhile, as by Retry, isn't joined any more.
    if (!line.isConnected || !line.hasAttribute("data-joined")) continue;
    const section = answered(line);
    if (section?.dataset.state === "loaded") line.accept(section);
    else line.ask();
  }
}

/** Asks all lines again, past what is still held to be fresh. How each ended, as a state. */
export async function refreshStrip(lines) {
  if (lines.length < 2) return Promise.all(lines.map((line) => line.refresh()));
  for (const line of lines) line.join();
  const answered = await answers({ refreshing: true });
  return Promise.all(lines.map((line) => {
    if (!line.isConnected) return line.state;
    const section = answered(line);
    // Of a trip whose place isn't known yet the strip can't ask.
    return section && section.dataset.state !== "loading" ? line.accept(section, { refreshing: true }) : line.refresh();
  }));
}

/** One question for all trips: what finds a line's section in the answer. */
async function answers({ refreshing = false } = {}) {
  const strip = await fragment(`/api/trips/weather.html${refreshing ? "?refresh=1" : ""}`, ".strip");
  return (line) => {
    const { id } = line.closest(".strip-item").dataset;
    return strip?.querySelector(`[data-id="${CSS.escape(id)}"] section`) ?? null;
  };
}
