// The entry of every page: makes what the server has rendered answer in place. Each part acts only if
// its elements are there, so one script does for all pages.

// First: it prepares elements for what they are about to become.
import "./prepare.js";
import { fillStrip } from "./strip.js";
import "./local-time.js";
import "./trip-weather.js";
import { forget } from "./draft.js";
import { renewAll } from "./fragments.js";
import { Planner } from "./planner.js";
import { pullToRefresh } from "./pull.js";
import { isRefreshing, refreshBy } from "./refresh.js";
import { say } from "./status.js";
import { enhanceTripCard } from "./trip-card.js";
import { TripForm, previewFor } from "./trip-form.js";
import { switchUnits } from "./units.js";
import { sendFormsInTurn } from "./writes.js";

for (const links of document.querySelectorAll(".units")) switchUnits(links);
for (const link of document.querySelectorAll("a.refresh")) refreshBy(link);
for (const details of document.querySelectorAll("details.planner")) new Planner(details);
for (const form of document.querySelectorAll("form.trip-form")) {
  if (form.closest("details.planner")) continue;
  form.querySelector(".cancel")?.addEventListener("click", forget);
  const whole = new TripForm(form, previewFor(form));
  whole.start();
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) whole.revive();
  });
}
fillStrip();
enhanceTripCard();
sendFormsInTurn();
titlePage();
if (document.querySelector("trip-weather:not(.preview)")) pullToRefresh();

// What is shown is said, once: a strip of many lines and a refresh of all say themselves as a whole.
document.addEventListener("weather", ({ target, detail }) => {
  if (!isRefreshing() && !target.closest(".strip")) say(detail.text);
});

window.addEventListener("pageshow", async (event) => {
  if (!event.persisted) return;
  await renewAll();
  titlePage();
});

/** A tab and a bookmark name the city. The server's own title can't: it is written before the trip is known. */
function titlePage() {
  const name = document.querySelector("main .pass-city, main .gone h1, main .confirm h1")?.textContent.trim()
    || document.querySelector("form.trip-form[data-purpose=edit]")?.elements.city.value.trim();
  if (name) document.title = `${name} – ${document.querySelector("meta[name=application-name]")?.content ?? "Trip Weather"}`;
}
