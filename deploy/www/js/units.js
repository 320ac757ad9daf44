// °C or °F. Without script they are links to /units, which sets the same cookie.

import { isPlain } from "./links.js";

const year = 365 * 24 * 60 * 60;

/** Makes a switch of the links: everything on the page is asked for again, and stays until it is there. */
export function switchUnits(links) {
  links.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    const units = new URL(link.href).searchParams.get("to");
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `units=${units}; Path=/; Max-Age=${year}; SameSite=Lax${secure}`;
    document.documentElement.dataset.units = units;
    for (const one of links.querySelectorAll("a")) one.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    forgetAddress();
    for (const card of document.querySelectorAll("trip-weather")) {
      if (!card.closest("details:not([open])")) card.ask();
    }
  });
}

/** Units in the address would win over the cookie when the page is loaded again. */
function forgetAddress() {
  const address = new URL(location.href);
  if (!address.searchParams.has("units")) return;
  address.searchParams.delete("units");
  history.replaceState(history.state, "", address);
}
