// Pull down to refresh, on touch screens. A pull can be taken back, and begins only at the page's
// very top; scrolling, and things that scroll by themselves, stay as they are.

import { refreshAll } from "./refresh.js";
import { element } from "./weather-section.js";
import { pageWords } from "./words.js";

/** How far a finger moves for a refresh, and how far the sign follows it, in CSS pixels. */
const enough = 96;
const furthest = 64;
/** How far before it is clear whether it goes down or sideways. */
const clear = 8;

export function pullToRefresh() {
  if (!matchMedia("(pointer: coarse)").matches) return;
  // The browser's own pull would load the whole page again.
  document.documentElement.toggleAttribute("data-pull", true);
  const sign = element("div", "pull", element("span", "pull-sign"), element("span", "pull-word"));
  sign.setAttribute("aria-hidden", "true");
  document.body.prepend(sign);
  const word = sign.querySelector(".pull-word");

  /** The finger: { x, y, distance, isPull }; isPull is null until the direction is clear. */
  let finger = null;

  function show(distance) {
    sign.style.setProperty("--pull", `${Math.min(distance / enough, 1) * furthest}px`);
    sign.toggleAttribute("data-ready", distance >= enough);
    sign.toggleAttribute("data-pulled", distance > 0);
    word.textContent = distance >= enough ? pageWords.release : pageWords.pull;
  }

  function begins(event) {
    return event.touches.length === 1 && window.scrollY <= 0 && (visualViewport?.scale ?? 1) <= 1
      && !event.target.closest("dialog, input, select, textarea, [role=listbox]");
  }

  document.addEventListener("touchstart", (event) => {
    const [touch] = event.touches;
    finger = begins(event) ? { x: touch.clientX, y: touch.clientY, distance: 0, isPull: null } : null;
    if (!finger) show(0);
  }, { passive: true });

  document.addEventListener("touchmove", (event) => {
    if (!finger || event.defaultPrevented) return;
    const across = event.touches[0].clientX - finger.x;
    const down = event.touches[0].clientY - finger.y;
    if (finger.isPull === null && Math.hypot(across, down) > clear) {
      finger.isPull = down > Math.abs(across) && window.scrollY <= 0;
    }
    if (!finger.isPull) {
      if (finger.isPull === false) finger = null;
      return;
    }
    finger.distance = Math.max(0, down);
    if (event.cancelable) event.preventDefault();
    show(finger.distance);
  }, { passive: false });

  async function ends(isRefresh) {
    const far = finger?.distance ?? 0;
    finger = null;
    if (isRefresh && far >= enough) {
      show(enough);
      sign.toggleAttribute("data-running", true);
      try {
        await refreshAll();
      } finally {
        sign.toggleAttribute("data-running", false);
        show(0);
      }
    } else {
      show(0);
    }
  }

  document.addEventListener("touchend", () => ends(true));
  document.addEventListener("touchcancel", () => ends(false));
}
