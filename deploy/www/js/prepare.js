// Prepares the elements that the server wrote before <trip-weather> becomes one, so it is imported first.

const preview = document.querySelector("trip-weather.preview:has(section)");
const form = preview?.parentNode.querySelector("form.trip-form");
// The weather that the server put under the planner is the answer for the city in the planner's form,
// which the page itself couldn't write into the element.
if (form) {
  for (const name of ["city", "country"]) preview.setAttribute(name, form.elements[name].value.trim());
}
