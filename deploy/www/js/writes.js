// Writes to a trip, and what is said when one fails.

import { alarm, calm } from "./status.js";
import { pageWords } from "./words.js";

const patience = 12_000;

/** Sends a write; the answer, or null where it was not done, which has been said by then. */
export async function write(address, { headers = {}, ...request }) {
  let response;
  try {
    response = await fetch(address, {
      ...request, headers: { Accept: "application/json", ...headers }, signal: AbortSignal.timeout(patience),
    });
  } catch {
    alarm(pageWords.notSaved);
    return null;
  }
  if (response.ok) {
    calm();
    return response;
  }
  await explain(response);
  return null;
}

async function explain(response) {
  switch (response.status) {
    case 412:
    case 428:
      alarm(pageWords.conflict, { href: "", text: pageWords.reload });
      break;
    case 404:
      alarm(pageWords.gone, { href: "/", text: pageWords.allTrips });
      break;
    default:
      alarm((await detail(response)) ?? (response.status >= 500 ? pageWords.notSaved : pageWords.notAllowed));
  }
}

/** What the program itself says about it, in the page's language. */
async function detail(response) {
  if (!/json/i.test(response.headers.get("Content-Type") ?? "")) return null;
  try {
    const problem = await response.json();
    return problem.detail || null;
  } catch {
    return null; // Cut short: our own words do.
  }
}
