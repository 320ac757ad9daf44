// The words that the page itself says. The weather's and the trips' own words come with each answer.

const english = {
  // The weather
  loading: "Asking about the weather…",
  idle: "Type a city to see its weather.",
  retry: "Retry",
  unreachable: "The weather service can't be reached. Check your connection and retry.",
  late: "The weather service didn't answer in time. Retry in a moment.",
  unreadable: "The weather service gave an answer that this page can't read. Retry in a moment.",
  notRefreshed: ", could not be refreshed. ",
  notRefreshedShort: "Not refreshed.",
  updated: (line) => `${line} – updated`,
  refreshing: "Asking about the weather again…",
  allUpdated: "The weather is up to date.",
  someFailed: "Some of the weather could not be refreshed.",
  pull: "Pull to refresh",
  release: "Let go to refresh",
  // The planner
  fewer: (label) => `${label}: less`,
  more: (label) => `${label}: more`,
  suggestions: "Places",
  suggestionCount: (count) => (count === 1 ? "1 place. Arrow down to choose it." : `${count} places. Arrow keys to choose.`),
  someCity: "Where to?",
  nights: (count) => (count === 1 ? "1 night" : `${count} nights`),
  ideaTaken: (city) => `${city} is filled in.`,
  // A trip
  isFavourite: "Marked as favourite.",
  noFavourite: "No longer a favourite.",
  conflict: "This trip was changed elsewhere in the meantime.",
  reload: "Show it as it is now",
  gone: "This trip is gone. It was deleted elsewhere.",
  allTrips: "All trips",
  notSaved: "That could not be saved. Check your connection and try again.",
  notAllowed: "That is not allowed just now. Wait a moment and try again.",
  dismiss: "Close",
  sharedTitle: (city) => `A trip to ${city}`,
  copy: "Copy the link",
  send: "Send the link",
  copied: "The link is copied. Whoever has it can read this trip.",
  sharedHere: "The trip is shared. Whoever has the link can read it.",
  unshared: "The trip is no longer shared.",
};

const german = {
  loading: "Das Wetter wird abgefragt …",
  idle: "Geben Sie eine Stadt ein, um ihr Wetter zu sehen.",
  retry: "Erneut versuchen",
  unreachable: "Der Wetterdienst ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.",
  late: "Der Wetterdienst hat nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal.",
  unreadable: "Der Wetterdienst hat eine Antwort gegeben, die diese Seite nicht lesen kann. Versuchen Sie es gleich noch einmal.",
  notRefreshed: ", konnte nicht aktualisiert werden. ",
  notRefreshedShort: "Nicht aktualisiert.",
  updated: (line) => `${line} – aktualisiert`,
  refreshing: "Das Wetter wird neu abgefragt …",
  allUpdated: "Das Wetter ist aktuell.",
  someFailed: "Ein Teil des Wetters konnte nicht aktualisiert werden.",
  pull: "Zum Aktualisieren ziehen",
  release: "Zum Aktualisieren loslassen",
  fewer: (label) => `${label}: weniger`,
  more: (label) => `${label}: mehr`,
  suggestions: "Orte",
  suggestionCount: (count) => (count === 1 ? "1 Ort. Mit Pfeil ab auswählen." : `${count} Orte. Mit den Pfeiltasten auswählen.`),
  someCity: "Wohin?",
  nights: (count) => (count === 1 ? "1 Nacht" : `${count} Nächte`),
  ideaTaken: (city) => `${city} ist eingetragen.`,
  isFavourite: "Als Favorit markiert.",
  noFavourite: "Kein Favorit mehr.",
  conflict: "Diese Reise wurde inzwischen anderswo geändert.",
  reload: "Den jetzigen Stand zeigen",
  gone: "Diese Reise gibt es nicht mehr. Sie wurde anderswo gelöscht.",
  allTrips: "Alle Reisen",
  notSaved: "Das konnte nicht gespeichert werden. Prüfen Sie die Verbindung und versuchen Sie es erneut.",
  notAllowed: "Das geht gerade nicht. Warten Sie einen Moment und versuchen Sie es erneut.",
  dismiss: "Schließen",
  sharedTitle: (city) => `Eine Reise nach ${city}`,
  copy: "Link kopieren",
  send: "Link senden",
  copied: "Der Link ist kopiert. Wer ihn hat, kann diese Reise lesen.",
  sharedHere: "Die Reise ist geteilt. Wer den Link hat, kann sie lesen.",
  unshared: "Die Reise ist nicht mehr geteilt.",
};

/** The words for a language tag such as "de-AT"; English for every language that isn't here. */
export function words(language) {
  return /^de\b/i.test(language ?? "") ? german : english;
}

/** The words of the page. */
export const pageWords = words(document.documentElement.lang);
