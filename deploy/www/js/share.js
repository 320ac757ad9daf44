// Sharing a trip by a link that others can read and its owner can withdraw.

import { renew } from "./fragments.js";
import { say } from "./status.js";
import { pageWords } from "./words.js";
import { write, writeForJSON } from "./writes.js";

export async function share(form) {
  const shared = await writeForJSON(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (!shared) return;
  const url = new URL(shared.share, document.baseURI).href;
  const said = await offer(url);
  const card = await renew(form.closest(".trip-card"));
  // Where the button was is the link now.
  card?.querySelector(".share-link a")?.focus({ preventScroll: true });
  note(card, said);
}

/** Offers the link of a trip that is shared already. */
async function shareAgain(button) {
  const card = button.closest(".trip-card");
  note(card, await offer(card.querySelector(".share-link a").href));
}

/** The button for that, beside the link: without script the link itself has to do. */
export function addShareAgain(card) {
  const link = card?.querySelector(".share-link");
  if (!link || link.querySelector("button")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "share-again";
  button.textContent = navigator.share ? pageWords.send : pageWords.copy;
  button.addEventListener("click", () => shareAgain(button));
  link.append(" ", button);
}

export async function unshare(form) {
  const response = await write(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (!response) return;
  const card = await renew(form.closest(".trip-card"));
  card?.querySelector("form.share button")?.focus({ preventScroll: true });
  note(card, pageWords.unshared);
}

/** Gives the link to whatever the device shares with, else to the clipboard. Returns what to say about it. */
async function offer(url) {
  const city = document.querySelector(".pass-city")?.textContent.trim() ?? "";
  if (navigator.share) {
    try {
      await navigator.share({ title: pageWords.sharedTitle(city), url });
      return pageWords.sharedHere;
    } catch (error) {
      // Taken back by the reader: the link is there all the same, and stands on the page.
      if (error.name === "AbortError") return pageWords.sharedHere;
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    return pageWords.copied;
  } catch {
    return pageWords.sharedHere; // No clipboard without https, or not allowed: the link stands on the page.
  }
}

/** Says it, and shows it beside the button. */
function note(card, text) {
  say(text);
  if (!card) return;
  addShareAgain(card);
  card.querySelector(".share-note")?.remove();
  const seen = document.createElement("p");
  seen.className = "share-note";
  seen.setAttribute("aria-hidden", "true");
  seen.textContent = text;
  (card.querySelector(".share-link") ?? card.querySelector("form.share")).after(seen);
}
