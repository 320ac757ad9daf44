// A Retry link that says when asking again will help: it counts down, and works from then on.

/** Starts the count of each link in a section that names its seconds. `within` is where they stand. */
export function countDown(within, words) {
  for (const link of within.querySelectorAll("a.retry[data-retry-after]")) {
    const seconds = Number(link.dataset.retryAfter);
    delete link.dataset.retryAfter;
    if (seconds > 0) start(link, Date.now() + seconds * 1000, words);
  }
}

/** Whether a press on it does nothing yet. */
export function isWaiting(link) {
  return link.getAttribute("aria-disabled") === "true";
}

function start(link, end, words) {
  const text = link.textContent;
  link.setAttribute("aria-disabled", "true");

  // From the clock each time: a hidden tab's timers come late.
  function tick() {
    const left = end - Date.now();
    if (left <= 0) {
      link.removeAttribute("aria-disabled");
      link.textContent = text;
    } else if (link.isConnected) {
      link.textContent = words.retryIn(Math.ceil(left / 1000));
      setTimeout(tick, (left % 1000) + 5);
    }
  }
  tick();
}
