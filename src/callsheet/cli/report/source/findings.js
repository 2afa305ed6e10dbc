// Findings, each with its evidence word for word.

const FEW = 25;
const listed = { pattern: null, size: FEW, nodes: new Map() };

function finding(number) {
  const each = report.findings[number];
  const rows = [
    ["Evidence", each.evidence.map((quote) => [el("blockquote", {}, foreign(quote.text)), el("p", { class: "source" }, `record ${whole.format(quote.record)}`, quote.what ? ", " : "", foreign(quote.what))])],
    ["First fix", foreign(each.fix)],
    ["Disproved by", foreign(each.disproof)],
    ["Means missing", each.missing],
    ["Concerns", each.items.length ? foreign(each.items.join(", ")) : null],
  ].filter(([, value]) => value !== null);
  const turn = turns[indexOf(each)];
  return el("details", { class: "finding", id: `finding-${number}` },
    el("summary", {}, el("span", { class: "tag" }, label(each.pattern)), foreign(nameOf(each), "quiet"), foreign(each.title || each.rule, "title lines")),
    el("dl", { class: "body" }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]), el("dt", {}, "Rule"),
      el("dd", {}, el("span", { class: "code" }, each.rule || "–"), " · ", turn ? link("show on the timeline", () => { choose(place(each)); show("timeline", "plot"); }) : null)));
}

function drawFindings() {
  const numbers = report.findings.map((_, number) => number).filter((number) => listed.pattern === null || report.findings[number].pattern === listed.pattern);
  const shown = numbers.slice(0, listed.size);
  const rest = numbers.length - shown.length;
  for (const number of shown) if (!listed.nodes.has(number)) listed.nodes.set(number, finding(number));
  put("findings-list", shown.map((number) => listed.nodes.get(number)),
    rest ? el("p", { class: "more" }, press(`Show ${several(Math.min(rest, 4 * FEW), "more finding")} of ${whole.format(rest)}`, () => { listed.size += 4 * FEW; drawFindings(); })) : null);
}

function findings() {
  if (!report.findings.length) return put("findings-list", nothing("Nothing that the rules know went wrong."));
  const counts = new Map();
  for (const each of report.findings) counts.set(each.pattern, (counts.get(each.pattern) ?? 0) + 1);
  const pick = (pattern, text) => press(text, () => {
    Object.assign(listed, { pattern, size: FEW });
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.pattern === (pattern ?? ""))));
    drawFindings();
  }, { "data-pattern": pattern ?? "", "aria-pressed": String(pattern === null) });
  const buttons = [pick(null, `All ${whole.format(report.findings.length)}`), ...[...counts].map(([pattern, count]) => pick(pattern, `${label(pattern)} ${whole.format(count)}`))];
  put("findings-controls", counts.size > 1 ? buttons : []);
  drawFindings();
}

/** Opens a finding wherever it is in the list, and goes there. */
function openFinding(number) {
  if (listed.pattern !== null && listed.pattern !== report.findings[number].pattern) at("findings-controls").firstElementChild?.click();
  const place = report.findings.slice(0, number).filter((each) => listed.pattern === null || each.pattern === listed.pattern).length;
  listed.size = Math.max(listed.size, place + 1);
  drawFindings();
  const node = listed.nodes.get(number);
  node.open = true;
  node.scrollIntoView({ block: "center" });
  node.querySelector("summary").focus({ preventScroll: true });
}

function show(section, focused) {
  at(section).scrollIntoView({ block: "start" });
  at(focused).focus({ preventScroll: true });
}

/** What the chosen turn held, or how the chosen call was cached. */
function details(item) {
  const wrong = [
    ...item.findings.map((found) => el("li", {}, el("span", { class: "tag" }, label(report.findings[found].pattern)), " ", link(report.findings[found].title || report.findings[found].rule, () => openFinding(found)))),
    ...item.breaks.map((each) => el("li", {}, el("span", { class: "tag alarm" }, label(each.cause)), ` call ${whole.format(each.round)}`, each.item ? " at " : "", each.item ? foreign(each.item, "code") : null, each.lost ? `, ${whole.format(each.lost)} tokens paid again` : "")),
  ];
  put("turn", el("header", {}, el("h3", { "aria-live": "polite" }, foreign(nameOf(item).replace(/^[tc]/, (first) => first.toUpperCase())), el("span", { class: "quiet" }, ` · record ${whole.format(item.record)}`, item.at ? ` · ${when(item.at)}` : "")),
    item.title ? el("p", { class: "lines" }, foreign(item.title)) : null),
    el("div", {}, item.counts ? callTable(item) : turnTable(item)),
    el("div", {}, item.counts ? callWords(item) : turnWords(item), wrong.length ? el("ul", { class: "list more" }, wrong) : el("p", { class: "quiet" }, "Nothing that the rules know went wrong here.")));
}

function countTable(title, names, columns) {
  const line = (name, kind, cells) => el("tr", {}, el("th", { scope: "row" }, kind ? swatch(kind) : null, name), cells.map((value) => el("td", { class: "number" }, value)));
  return el("table", { class: "plain" }, el("caption", { class: "unseen" }, `Tokens of ${title}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Tokens"), columns.map((column) => el("th", { scope: "col", class: "number" }, column.name)))),
    el("tbody", {}, names.map((name) => line(label(name), name, columns.map((column) => number(column.counts[name] ?? 0))))),
    el("tfoot", {}, line("together", null, columns.map((column) => number(sum(column.counts), { id: column.id })))));
}

const turnTable = (turn) => countTable(nameOf(turn), bucketsOf(turn.prompt, turn.billed), [
  { name: "last prompt", counts: turn.prompt, id: "turn-prompt" }, { name: `${several(turn.calls, "call")}, all`, counts: turn.billed, id: "turn-billed" }]);
const callTable = (call) => countTable(nameOf(call), USAGE, [{ name: "prompt, reported", counts: call.counts, id: "call-prompt" }]);

const cached = (usage) => (report.cache.reported ? `, of these ${whole.format(usage.cached_read)} read from the cache` : "");

function turnWords(turn) {
  const usage = turn.usage, reported = promptOf(usage) + usage.output;
  return [turn.new ? el("p", {}, `It added ${whole.format(turn.new)} tokens of messages, each paid for ${(turn.paid / turn.new).toFixed(1)} times by the end.`) : null,
    el("p", {}, reported ? `Reported: ${whole.format(promptOf(usage))} in${cached(usage)}; ${whole.format(usage.output)} out.` : "No usage was reported.")];
}

function callWords(call) {
  const said = [
    call.model && ["Model", foreign(call.model)],
    ["Answer", `${whole.format(call.usage.output)} tokens`],
    call.share !== null && ["Read from the cache", percent(call.share, 1)],
    call.expected !== null && ["Expected to be read", `${whole.format(call.expected)} tokens`],
    call.relation && ["Request beside the one before", foreign(call.relation)],
    call.first_changed_part && ["First part that changed", foreign(call.first_changed_part)],
    call.reason && ["Why it is not what was expected", foreign(call.reason)],
  ].filter(Boolean);
  return el("dl", { class: "pairs" }, said.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

const when = (seconds) => { const date = new Date(seconds * 1000); return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`; };
