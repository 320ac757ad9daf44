// Writes to a trip, and what is said when one fails.

import { clearAlert, showAlert } from "./status.js";
import { pageWords } from "./words.js";

const timeout = 12_000;
const lock = "trip-weather-write";
let last = Promise.resolve();

/**
 * Does one write after the other, also across tabs: the first that a new visitor sends brings the
 * cookie that tells whose trips they are, and one sent beside it would belong to somebody else.
 */
function inTurn(work) {
  if (navigator.locks) return navigator.locks.request(lock, work);
  // Without https there are no locks: within this tab at least.
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** Sends a write; the answer, or null if it was not done, which has been said by then. */
export async function write(address, { headers = {}, ...request }) {
  let response;
  try {
    response = await inTurn(() => fetch(address, {
      ...request, headers: { Accept: "application/json", ...headers }, signal: AbortSignal.timeout(timeout),
    }));
  } catch {
    showAlert(pageWords.notSaved);
    return null;
  }
  if (response.ok) {
    clearAlert();
    return response;
  }
  await explain(response);
  return null;
}

/** As write(), with the JSON of the answer. */
export async function writeForJSON(address, request) {
  const response = await write(address, request);
  try {
    return response && await response.json();
  } catch {
    // Cut short: it was done, but what came of it isn't known.
    showAlert(pageWords.unclear, { href: "", text: pageWords.reload });
    return null;
  }
}

/** Lets forms that the browser sends by itself wait for their turn too. The turn ends as the next page comes. */
export function sendFormsInTurn() {
  const inTheirTurn = new WeakSet();
  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form.method !== "post" || inTheirTurn.delete(form)) return;
    event.preventDefault();
    inTurn(() => {
      inTheirTurn.add(form);
      // Disabled meanwhile against a second tap, which mustn't keep it from being the one that sends.
      form.requestSubmit(submitter?.disabled ? null : submitter);
      return new Promise((resolve) => {
        window.addEventListener("pagehide", resolve, { once: true });
        setTimeout(resolve, timeout);
      });
    });
  });
}

async function explain(response) {
  switch (response.status) {
    case 412:
    case 428:
      showAlert(pageWords.conflict, { href: "", text: pageWords.reload });
      break;
    case 404:
      showAlert(pageWords.gone, { href: "/", text: pageWords.allTrips });
      break;
    default:
      showAlert((await detail(response)) ?? (response.status >= 500 ? pageWords.notSaved : pageWords.notAllowed));
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
