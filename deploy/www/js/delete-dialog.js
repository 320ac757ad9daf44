// "Delete Seattle?" as a dialog. What it shows and sends is the fragment of the link's own page.

import { fragment } from "./fragments.js";

let open = false;

/** Asks before a trip is deleted; by the link's page if the question can't be had. */
export async function confirmDelete(link) {
  if (open) return;
  open = true;
  const { pathname } = new URL(link.href);
  const question = await fragment(`/api${pathname}.html`, "section.confirm");
  if (!question) {
    open = false;
    location.assign(link.href);
    return;
  }
  const dialog = document.createElement("dialog");
  const heading = question.querySelector("h1");
  heading.id = "confirm-heading";
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(question);
  document.body.append(dialog);

  const cancel = dialog.querySelector("a.cancel");
  cancel.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  // A press outside it.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("submit", () => {
    dialog.querySelector("button").disabled = true;
  });
  // The browser gives the focus back to where it was: to the link.
  const closed = new AbortController();
  dialog.addEventListener("close", () => {
    closed.abort();
    dialog.remove();
    open = false;
  });
  // Back on a page that was kept as it stood when the question was answered.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && dialog.open) dialog.close();
  }, { signal: closed.signal });
  dialog.showModal();
  // What can't be undone is never a stray Enter away.
  cancel.focus();
}
