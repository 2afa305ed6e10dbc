// The parts of the page around the timeline.

const nothing = (text) => el("p", { class: "quiet" }, text);
const money = (value, currency) => `${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${currency}`;

function headline() {
  const name = report.source.split(/[\\/]/).pop() || report.source;
  put("source", foreign(name));
  const records = report.records, skipped = records.skipped.reduce((all, each) => all + (each.count ?? 1), 0);
  put("origin", foreign(report.source), " · ", foreign(report.format), ` · ${several(records.read, "record")} read: ${whole.format(records.kept)} kept, ${whole.format(records.unknown)} unknown, ${whole.format(skipped)} skipped`);
  put("count-findings", whole.format(report.findings.length));
  put("count-breaks", whole.format(report.cache.breaks.length));
  put("count-tools", whole.format(report.catalogue.tools.length));
  put("count-artifacts", whole.format(report.artifacts.length));
  const usage = report.usage, prompts = promptOf(usage), currency = report.models[0]?.currency ?? "USD";
  const reported = prompts + usage.output > 0;
  const facts = [
    ["Turns", number(report.turns, { id: "turns" })],
    ["Model calls", number(report.model_calls, { id: "model-calls" })],
    ["Tool calls", number(report.tool_calls, { id: "tool-calls" })],
    ["Input, reported", reported ? number(prompts, { id: "input" }) : "–"],
    ["Read from cache", report.cache.reported ? [number(usage.cached_read, { id: "cached-read" }), el("small", {}, ` ${percent(usage.cached_read, prompts)}`)] : reported ? "not reported" : "–"],
    ["Output, reported", reported ? number(usage.output, { id: "output" }) : "–"],
    ["Cost", report.cost === null ? "–" : el("data", { id: "cost", value: report.cost }, money(report.cost, currency))],
  ];
  put("facts", facts.map(([title, value]) => el("div", {}, el("dt", {}, title), el("dd", {}, value))));
}

/** What was paid for: a bar of all prompts by bucket, its figures below. */
function paid() {
  const names = bucketsOf(report.billed), all = sum(report.billed);
  if (!all) return put("paid", nothing("No prompt of this transcript could be counted."));
  const slices = names.map((name) => {
    const slice = el("i", { class: colour(name), title: label(name) });
    slice.style.width = `${(100 * report.billed[name]) / all}%`;
    return slice;
  });
  const rows = [...names].sort((one, other) => report.billed[other] - report.billed[one]).map((name) => el("tr", {},
    el("th", { scope: "row" }, swatch(name), label(name)), el("td", { class: "number" }, number(report.billed[name], { "data-bucket": name })),
    el("td", { class: "number quiet" }, percent(report.billed[name], all))));
  put("paid", el("div", { class: "stack", "aria-hidden": "true" }, slices),
    el("table", { class: "plain" }, el("caption", { class: "unseen" }, "Tokens of all prompts by bucket"), el("tbody", {}, rows),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "all prompts"), el("td", { class: "number" }, number(all, { id: "billed" })), el("td")))),
    again(),
    el("p", { class: "quiet source" }, "Counted as: ", foreign(report.basis || "estimates"), "."));
}

/** How often what came into the window was paid for: each call sends it again. */
function again() {
  const added = turns.reduce((all, turn) => all + (turn.new ?? 0), 0), times = turns.reduce((all, turn) => all + (turn.paid ?? 0), 0);
  return added ? el("p", { class: "source" }, `${whole.format(added)} tokens of messages came in, each paid for ${(times / added).toFixed(1)} times on average.`) : null;
}

function broke() {
  const breaks = report.cache.breaks, prompts = promptOf(report.usage);
  const lost = breaks.reduce((all, each) => all + each.lost, 0);
  const read = `${percent(report.usage.cached_read, prompts)} of the reported input was read from the cache.`;
  const lead = report.cache.reported && prompts ? read : `The transcript reports ${prompts ? "nothing of a cache" : "no usage"}, so what was cached is not known.`;
  const worst = [...breaks].sort((one, other) => other.lost - one.lost).slice(0, 4);
  const said = breaks.length ? `${several(breaks.length, "break")}, ${whole.format(lost)} tokens paid again.` : "No break was seen.";
  put("broke", el("p", {}, `${lead} ${said}`), el("ul", { class: "list more" }, worst.map((each) => el("li", {}, callLink(each), " ", el("span", { class: "tag alarm" }, label(each.cause)), " ",
    each.item ? foreign(each.item, "code lines") : null, each.lost ? el("span", { class: "quiet" }, ` ${whole.format(each.lost)} tokens`) : null,
    each.ours ? null : el("span", { class: "quiet" }, " (the provider's side)")))));
}

function callLink(each) {
  const name = `call ${whole.format(each.round)}`;
  return turns.length ? link(name, () => { choose(place(each)); show("timeline", "plot"); }) : name;
}

function first() {
  if (!report.fixes.length) return put("first", nothing("Nothing that the rules know went wrong."));
  const number = (fix) => report.findings.findIndex((each) => each.pattern === fix.pattern && each.rule === fix.rule);
  put("first", el("ol", { class: "list numbered" }, report.fixes.slice(0, 4).map((fix) => el("li", {},
    el("span", { class: "lines" }, foreign(fix.fix)), link(`${label(fix.pattern)}, ${several(fix.findings, "finding")}`, () => openFinding(number(fix))),
    el("span", { class: "quiet" }, ` · missing: ${fix.missing}`)))));
}

function breaks() {
  if (!report.cache.breaks.length) return put("breaks", nothing("The cached prefix never broke, as far as this transcript shows."));
  put("breaks", grid("Cache breaks", [
    { name: "Call", number: true, value: (each) => each.round, cell: callLink },
    { name: "Cause", value: (each) => label(each.cause) },
    { name: "First item that differs", value: (each) => each.item ?? "", cell: (each) => each.item ? foreign(each.item, "code") : "–" },
    { name: "Byte", number: true, value: (each) => each.byte },
    { name: "Paid again", number: true, value: (each) => each.lost },
    { name: "Whose", value: (each) => (each.ours ? "the agent's" : "the provider's") },
    { name: "Detail", wide: true, value: (each) => each.detail },
  ], report.cache.breaks));
}

const side = (longer, of) => `${whole.format(of.wrong)} of ${several(of.calls, "call")} of tools described ${longer ? "at greater length" : "in one sentence"}`;

function tools() {
  const catalogue = report.catalogue;
  const said = [
    catalogue.unused.length && `${several(catalogue.unused.length, "tool")} never called${catalogue.unused_billed === null ? "" : `, paid for with ${whole.format(catalogue.unused_billed)} tokens`}.`,
    catalogue.invented.length && `${several(catalogue.invented.length, "name")} invented by the model.`,
    catalogue.short_saves !== null && `Descriptions of one sentence would save ${whole.format(catalogue.short_saves)} tokens.`,
    catalogue.wrong_calls && `${several(catalogue.wrong_calls, "wrong call")} cost ${whole.format(catalogue.wrong_tokens)} tokens: ${side(false, catalogue.one_sentence)}, ${side(true, catalogue.longer)}.`,
    ...catalogue.notes,
  ].filter(Boolean);
  const lead = said.map((text) => el("p", { class: "quiet" }, foreign(text)));
  if (!catalogue.tools.length) return put("tools", lead, nothing("The transcript names no tool."));
  put("tools", lead, el("div", { class: "more" }, grid("Tools", [
    { name: "Tool", value: (tool) => tool.name, cell: (tool) => foreign(tool.name, "code") },
    { name: "Offered", value: (tool) => (tool.offered === null ? "not known" : tool.offered ? "yes" : "no, invented") },
    { name: "Definition", number: true, value: (tool) => tool.definition },
    { name: "In one sentence", number: true, value: (tool) => tool.short },
    { name: "Billed", number: true, value: (tool) => tool.billed },
    { name: "Calls", number: true, value: (tool) => tool.calls },
    { name: "Errors", number: true, value: (tool) => tool.errors },
    { name: "Wrong", number: true, value: (tool) => tool.wrong },
    { name: "Call tokens", number: true, value: (tool) => tool.call_tokens },
    { name: "Result tokens", number: true, value: (tool) => tool.result_tokens },
    { name: "Nearest real one", value: (tool) => tool.nearest ?? "" },
  ], catalogue.tools, { filter: catalogue.tools.length > 20, sorted: catalogue.tools.some((tool) => tool.billed !== null) ? 4 : 5 })));
}

function artifacts() {
  const files = report.artifacts;
  if (!files.length) return put("files", nothing("No file was read or written, as far as this transcript shows."));
  const did = (file) => ["created", "written", "read", "deleted"].filter((what) => file[what]).join(", ");
  const tests = (file) => file.tests.map((run) => `${run.ok === false ? "failed" : run.ok ? "passed" : "ran"}: ${run.command}`).join("; ");
  put("files", el("p", { class: "quiet" }, `${several(report.refetches, "read")} of a file that had been read already and not been written since.`),
    el("div", { class: "more" }, grid("Artifacts", [
      { name: "Path", wide: true, value: (file) => file.path, cell: (file) => foreign(file.path, "code") },
      { name: "What happened", value: did },
      { name: "Reads", number: true, value: (file) => file.reads.length },
      { name: "Writes", number: true, value: (file) => file.writes.length },
      { name: "Unchanged reads", number: true, value: (file) => file.unchanged_reads },
      { name: "Functions", value: (file) => file.functions.join(", ") },
      { name: "Tests", value: tests },
      { name: "SHA-256", value: (file) => (file.hash ?? "").slice(0, 12), cell: (file) => file.hash ? el("span", { class: "code", title: file.hash }, file.hash.slice(0, 12)) : "–" },
    ], files, { filter: true })));
}
