// Which clicks on a link are the page's to answer.

/** A click that isn't meant for another tab or window, nor answered already. */
export function isPlain(event) {
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  return !event.defaultPrevented && !elsewhere;
}
