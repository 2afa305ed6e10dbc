// Everything on the page, and the tables behind the pictures.

const MORE = (title, made) => {
  const inside = el("details", { class: "more", ontoggle: () => { if (inside.open && inside.children.length === 1) inside.append(made()); } }, el("summary", {}, title));
  return inside;
};

function figures() {
  const usage = [["Uncached", "input"], ["Read", "cached_read"], ["Written", "cache_write"], ["Output", "output"]]
    .filter(([, field]) => report.cache.reported || !field.startsWith("cache"))
    .map(([name, field]) => ({ name, number: true, value: (row) => row.usage[field] }));
  const parts = [];
  if (report.models.length) parts.push(grid("Models", [{ name: "Model", value: (row) => row.model }, { name: "Calls", number: true, value: (row) => row.calls }, ...usage,
    { name: "Cost", number: true, value: (row) => row.cost, cell: (row) => (row.cost === null ? "–" : money(row.cost, row.currency)) }], report.models));
  if (turns.length) parts.push(MORE(`All ${several(turns.length, "turn")} as a table`, () => grid("Turns", [
    { name: "Turn", number: true, value: (row) => row.turn, cell: (row) => link(whole.format(row.turn), () => { choose(place(row)); show("timeline", "plot"); }) },
    { name: "Thread", value: (row) => row.thread }, { name: "Record", number: true, value: (row) => row.record }, { name: "Calls", number: true, value: (row) => row.calls },
    ...bucketsOf(...turns.map((turn) => turn.prompt)).map((name) => ({ name: label(name), number: true, value: (row) => row.prompt[name] ?? 0 })),
    { name: "Last prompt", number: true, value: (row) => sum(row.prompt) }, { name: "All prompts", number: true, value: (row) => sum(row.billed) },
    { name: "Title", wide: true, value: (row) => row.title }], turns, { filter: true })));
  if (rounds.length) parts.push(MORE(`All ${several(rounds.length, "model call")} as a table`, () => grid("Model calls", [
    { name: "Call", number: true, value: (row) => row.round }, { name: "Turn", value: nameOf }, { name: "Record", number: true, value: (row) => row.record }, { name: "Model", value: (row) => row.model }, ...usage,
    { name: "Cached", number: true, value: (row) => row.share, cell: (row) => (row.share === null ? "–" : percent(row.share, 1)) }, { name: "Expected", number: true, value: (row) => row.expected },
    { name: "Relation", value: (row) => row.relation }, { name: "First change", value: (row) => row.first_changed_part ?? "" },
    { name: "Reason", value: (row) => row.reason }], rounds, { filter: true })));
  const skipped = report.records.skipped;
  if (skipped.length) parts.push(MORE(`Records that were not read: ${whole.format(skipped.reduce((all, each) => all + (each.count ?? 1), 0))}`, () => grid("Records that were not read", [
    { name: "Record", number: true, value: (row) => row.record }, { name: "Reason", value: (row) => row.reason ?? `${whole.format(row.count)} more` }, { name: "Detail", wide: true, value: (row) => row.detail }], skipped)));
  const unknown = Object.entries(report.records.unknown_types), facts = Object.entries(report.facts);
  if (unknown.length) parts.push(MORE(`Records of unknown types: ${whole.format(report.records.unknown)}`, () => pairs(unknown)));
  if (facts.length) parts.push(MORE("Further facts", () => pairs(facts)));
  put("figures", report.notes.map((note) => el("p", { class: "quiet" }, foreign(note))), parts.length ? parts : nothing("Nothing further."));
}

const pairs = (entries) => el("dl", { class: "pairs" }, entries.map(([name, value]) => [el("dt", {}, foreign(name)), el("dd", {}, foreign(typeof value === "object" ? JSON.stringify(value) : value))]));

headline();
paid();
broke();
first();
chart.listeners.push(details);
startTimeline();
findings();
breaks();
tools();
artifacts();
figures();
/** On paper nothing can be opened, so findings are; the long tables stay closed, they are in the JSON. */
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll(".finding:not([open])")];
  closed.forEach((each) => { each.open = true; });
});
addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
