// Before <trip-weather> becomes one: the weather that the server put under the planner is the answer
// for the city in the planner's form, which the page itself couldn't write into the element.

const preview = document.querySelector("trip-weather.preview:has(section)");
const form = preview?.parentNode.querySelector("form.trip-form");
if (form) {
  for (const name of ["city", "country"]) preview.setAttribute(name, form.elements[name].value.trim());
}
