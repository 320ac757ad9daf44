// The words that the page itself says. The weather's own words come with each answer.

const english = {
  loading: "Asking about the weather…",
  idle: "Type a city to see its weather.",
  retry: "Retry",
  unreachable: "The weather service can't be reached. Check your connection and retry.",
  late: "The weather service didn't answer in time. Retry in a moment.",
  unreadable: "The weather service gave an answer that this page can't read. Retry in a moment.",
  notRefreshed: ", could not be refreshed. ",
  updated: (line) => `${line} – updated`,
};

const german = {
  loading: "Das Wetter wird abgefragt …",
  idle: "Geben Sie eine Stadt ein, um ihr Wetter zu sehen.",
  retry: "Erneut versuchen",
  unreachable: "Der Wetterdienst ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.",
  late: "Der Wetterdienst hat nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal.",
  unreadable: "Der Wetterdienst hat eine Antwort gegeben, die diese Seite nicht lesen kann. Versuchen Sie es gleich noch einmal.",
  notRefreshed: ", konnte nicht aktualisiert werden. ",
  updated: (line) => `${line} – aktualisiert`,
};

/** The words for a language tag such as "de-AT"; English for every language that isn't here. */
export function words(language) {
  return /^de\b/i.test(language ?? "") ? german : english;
}
