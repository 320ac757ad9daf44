// What the page says aloud: one polite live region for everything, and one alert for writes that failed.

import { pageWords } from "./words.js";

const region = document.querySelector("#status") ?? made("p", "status", "status", "unseen");
const alert = document.querySelector("#alert") ?? made("div", "alert", "alert", "alert");

/** Says a short sentence. The region is emptied first, so that the same sentence is said again. */
export function say(text) {
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}

/** Says, for all to see, that something was not done, with a link to what can be done about it. */
export function showAlert(text, link = null) {
  const message = document.createElement("p");
  message.append(text);
  if (link) {
    const way = document.createElement("a");
    way.href = link.href;
    way.textContent = link.text;
    message.append(" ", way);
  }
  const dismiss = document.createElement("button");
  dismiss.type = "button";
  dismiss.className = "dismiss";
  dismiss.setAttribute("aria-label", pageWords.dismiss);
  dismiss.addEventListener("click", clearAlert);
  alert.replaceChildren(message, dismiss);
}

/** Takes the alert away: what it was about is done or dismissed. */
export function clearAlert() {
  alert.replaceChildren();
}

/** A live region has to stand in the page before its first words; a page without one gets it here. */
function made(name, id, role, className) {
  const region = document.createElement(name);
  Object.assign(region, { id, className });
  region.setAttribute("role", role);
  document.body.append(region);
  return region;
}
