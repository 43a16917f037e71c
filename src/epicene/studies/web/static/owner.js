// The keys of the first disagreement on the owner's page: as on the pages of participants.

document.body.classList.add("scripted");
const first = asForm();
if (first) {
  prepareWords(first);
  showAsked(first);
  first.addEventListener("change", () => showAsked(first));
}
