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
      el("dd", {}, el("span", { class: "code" }, each.rule || "–"), " · ", turn ? link("show on the timeline", () => { choose(indexOf(each)); show("timeline", "plot"); }) : null)));
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

/** What the chosen turn held. */
function turnDetails(turn) {
  const names = bucketsOf(turn.prompt, turn.billed), usage = turn.usage;
  const rows = names.map((name) => el("tr", {}, el("th", { scope: "row" }, swatch(name), label(name)), el("td", { class: "number" }, number(turn.prompt[name] ?? 0)), el("td", { class: "number" }, number(turn.billed[name] ?? 0))));
  const table = el("table", { class: "plain" }, el("caption", { class: "unseen" }, `Tokens of ${nameOf(turn)}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Tokens"), el("th", { scope: "col", class: "number" }, "last prompt"), el("th", { scope: "col", class: "number" }, `${several(turn.calls, "call")}, all`))),
    el("tbody", {}, rows), el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "together"), el("td", { class: "number" }, number(sum(turn.prompt), { id: "turn-prompt" })), el("td", { class: "number" }, number(sum(turn.billed), { id: "turn-billed" })))));
  const wrong = [
    ...turn.findings.map((found) => el("li", {}, el("span", { class: "tag" }, label(report.findings[found].pattern)), " ", link(report.findings[found].title || report.findings[found].rule, () => openFinding(found)))),
    ...turn.breaks.map((each) => el("li", {}, el("span", { class: "tag alarm" }, label(each.cause)), ` call ${whole.format(each.round)}`, each.item ? " at " : "", each.item ? foreign(each.item, "code") : null, each.lost ? `, ${whole.format(each.lost)} tokens paid again` : "")),
  ];
  const reported = promptOf(usage) + usage.output;
  put("turn", el("header", {}, el("h3", { "aria-live": "polite" }, foreign(nameOf(turn).replace(/^t/, "T")), el("span", { class: "quiet" }, ` · record ${whole.format(turn.record)}`, turn.at === null ? "" : ` · ${when(turn.at)}`)), turn.title ? el("p", { class: "lines" }, foreign(turn.title)) : null),
    el("div", {}, table),
    el("div", {}, turn.new ? el("p", {}, `It added ${whole.format(turn.new)} tokens of messages, each paid for ${(turn.paid / turn.new).toFixed(1)} times by the end.`) : null,
      el("p", {}, reported ? `Reported: ${whole.format(promptOf(usage))} in, of these ${whole.format(usage.cached_read)} read from the cache; ${whole.format(usage.output)} out.` : "No usage was reported."),
      wrong.length ? el("ul", { class: "list more" }, wrong) : el("p", { class: "quiet" }, "Nothing that the rules know went wrong here.")));
}

const when = (seconds) => { const date = new Date(seconds * 1000); return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`; };
