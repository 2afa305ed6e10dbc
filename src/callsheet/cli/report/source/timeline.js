// The timeline: tokens per turn as stacked bars, the cache below, findings pinned above; one look for 4 or 4,000 turns.

const LEFT = 52, RIGHT = 10, CACHE = 52, GAP = 24, AXIS = 18, NARROWEST = 5, BAR = 3, PIN = 32, TOP = 6;

const chart = {
  items: turns, of: "prompt", from: 0, to: Math.max(1, turns.length), chosen: 0, width: 0, height: 200, listeners: [], pinned: 0,
};
const noun = () => (chart.of === "calls" ? "call" : "turn");
const countsOf = (item) => (chart.of === "calls" ? item.counts : item[chart.of]);
const inner = () => chart.width - LEFT - RIGHT;
const x = (index) => LEFT + ((index - chart.from) / (chart.to - chart.from)) * inner();
const indexAt = (px) => chart.from + ((px - LEFT) / inner()) * (chart.to - chart.from);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
let total = [];

/** Turns (or calls) in view, gathered so that a bar keeps a visible width; a bar is the largest one of its stretch. */
function bars() {
  const step = Math.max(1, Math.ceil((chart.to - chart.from) / Math.max(1, Math.floor(inner() / BAR))));
  const found = [];
  for (let first = Math.floor(chart.from / step) * step; first < chart.to && first < chart.items.length; first += step) {
    let top = first;
    for (let each = first; each < Math.min(first + step, chart.items.length); each += 1) if (total[each] > total[top]) top = each;
    found.push({ first, top, size: step });
  }
  return found;
}

/** One path per bucket, however many bars. */
function stacks(height, most) {
  const names = bucketsOf(...chart.items.map(countsOf));
  const paths = new Map(names.map((name) => [name, []]));
  for (const bar of bars()) {
    const left = Math.max(LEFT, x(bar.first)), right = Math.min(chart.width - RIGHT, x(bar.first + bar.size));
    const wide = Math.max(0.6, right - left - (right - left > 4 ? 1 : 0));
    let floor = height;
    for (const name of names) {
      const tall = ((countsOf(chart.items[bar.top])[name] ?? 0) / most) * height;
      if (!tall) continue;
      floor -= tall;
      paths.get(name).push(`M${left.toFixed(1)} ${floor.toFixed(1)}h${wide.toFixed(1)}v${tall.toFixed(1)}h-${wide.toFixed(1)}z`);
    }
  }
  return names.map((name) => mark("path", { class: colour(name), d: paths.get(name).join("") }));
}

/** A round number at or above the largest value, that divides well. */
function ceiling(value) {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 4, 5, 8, 10].map((each) => each * size).find((each) => each >= value);
}

function rules(height, most) {
  return [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const y = height * (1 - share);
    const text = share === 0.25 || share === 0.75 ? "" : compact.format(most * share);
    return [mark("line", { class: "rule", x1: LEFT, x2: chart.width - RIGHT, y1: y, y2: y }),
      mark("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, text)];
  });
}

/** The share read from the cache at each call in view: a line of means and, where calls are gathered, their spread. */
function shares(top) {
  const gathered = new Map();
  for (let index = Math.floor(chart.from); index < Math.min(Math.ceil(chart.to), chart.items.length); index += 1) {
    const calls = chart.items[index].rounds;
    calls.forEach((round, place) => {
      if (round.share === null) return;
      const px = Math.round(x(index + (place + 0.5) / calls.length) / 2) * 2;
      const here = gathered.get(px) ?? { sum: 0, n: 0, low: 1, high: 0 };
      gathered.set(px, { sum: here.sum + round.share, n: here.n + 1, low: Math.min(here.low, round.share), high: Math.max(here.high, round.share) });
    });
  }
  const points = [...gathered].sort(([one], [other]) => one - other);
  const y = (share) => (top + CACHE * (1 - clamp(share, 0, 1))).toFixed(1);
  const line = points.map(([px, here], place) => `${place ? "L" : "M"}${px} ${y(here.sum / here.n)}`).join("");
  const spread = points.map(([px, here]) => `M${px - 1} ${y(here.high)}h2V${y(here.low)}h-2z`).join("");
  return [mark("path", { class: "spread", d: spread }), mark("path", { class: "line", d: line })];
}

function cacheLane(top) {
  const y = (share) => top + CACHE * (1 - share);
  const frame = [0, 1].flatMap((share) => [
    mark("line", { class: "rule", x1: LEFT, x2: chart.width - RIGHT, y1: y(share), y2: y(share) }),
    mark("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }, `${100 * share} %`)]);
  const broken = new Set(), apart = chart.to - chart.from > inner() / 10 ? 10 : 1;
  for (let index = Math.floor(chart.from); index < Math.min(Math.ceil(chart.to), chart.items.length); index += 1)
    if (chart.items[index].breaks.length) broken.add(Math.round(x(index + 0.5) / apart) * apart);
  const caption = !rounds.some((round) => round.share !== null) ? "no reads from the cache are reported" : chart.width < 600 ? "read from the cache; ▲ prefix broke" : "read from the cache, per call; ▲ the cached prefix broke";
  const marks = [...broken].map((px) => `M${px} ${top + CACHE - 7}l4 8h-8z`).join("");
  return [...frame, ...shares(top), mark("path", { class: "broken", d: marks }), mark("text", { x: LEFT, y: top - 8 }, caption)];
}

function axis(y) {
  const span = chart.to - chart.from, most = Math.max(2, Math.floor(inner() / 90));
  const step = Math.max(1, [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000].find((each) => span / each <= most) ?? Math.ceil(span / most));
  const labels = [];
  for (let number = Math.max(1, Math.ceil((chart.from + 1) / step) * step - (chart.from < 1 ? step : 0)); number <= Math.min(chart.to, chart.items.length); number += number === 1 && step > 1 ? step - 1 : step)
    labels.push(mark("text", { x: clamp(x(number - 0.5), LEFT + 8, chart.width - RIGHT - 14), y, "text-anchor": "middle" }, whole.format(number)));
  return labels;
}

function draw() {
  chart.width = Math.max(280, at("plot").clientWidth || 960);
  chart.height = chart.width < 600 ? 150 : 200;
  total = chart.items.map((item) => sum(countsOf(item)));
  let largest = 1;
  for (let index = Math.floor(chart.from); index < Math.min(chart.to, chart.items.length); index += 1) largest = Math.max(largest, total[index]);
  const most = ceiling(largest), lane = chart.height + GAP + 8, tall = lane + CACHE + AXIS + 2;
  at("plot").replaceChildren(mark("svg", { viewBox: `0 ${-TOP} ${chart.width} ${tall + TOP}`, "aria-hidden": "true" },
    mark("rect", { id: "chosen", class: "chosen", y: 0, height: lane + CACHE }),
    rules(chart.height, most), stacks(chart.height, most), cacheLane(lane), axis(tall - 3),
    mark("line", { id: "cursor", class: "cursor", y1: 0, y2: lane + CACHE, visibility: "hidden" }),
    mark("rect", { id: "brush", class: "brush", y: 0, height: lane + CACHE, width: 0 })));
  drawPins();
  drawOverview();
  showChosen();
  put("legend", bucketsOf(...chart.items.map(countsOf)).map((name) => el("span", {}, swatch(name), label(name))));
  at("zoom-out").disabled = at("zoom-all").disabled = chart.to - chart.from >= chart.items.length;
  at("zoom-in").disabled = chart.to - chart.from <= Math.min(NARROWEST, chart.items.length);
}

function showChosen() {
  const left = clamp(x(chart.chosen), LEFT, chart.width - RIGHT), right = clamp(x(chart.chosen + 1), LEFT, chart.width - RIGHT);
  const visible = chart.chosen + 1 > chart.from && chart.chosen < chart.to;
  fill(at("chosen"), { x: left, width: visible ? Math.max(2, right - left) : 0 }, []);
  const turn = chart.items[chart.chosen];
  const said = [nameOf(turn), `${whole.format(sum(turn.counts ?? turn.prompt))} tokens in its ${turn.counts ? "" : "last "}prompt`];
  if (turn.findings.length) said.push(several(turn.findings.length, "finding"));
  if (turn.breaks.length) said.push(several(turn.breaks.length, "cache break"));
  fill(at("plot"), { "aria-valuenow": chart.chosen + 1, "aria-valuetext": said.join(", ") }, []);
  for (const pin of at("pins").children) pin.setAttribute("aria-current", String(Number(pin.dataset.first) <= chart.chosen && chart.chosen <= Number(pin.dataset.last)));
}

/** Findings in view, those too near one another under one pin. */
function drawPins() {
  const groups = [];
  chart.items.forEach((turn, index) => {
    if (!turn.findings.length || index + 1 <= chart.from || index >= chart.to) return;
    const px = x(index + 0.5), last = groups[groups.length - 1];
    if (last && px - last.px < PIN) { last.findings.push(...turn.findings); last.last = index; }
    else groups.push({ px, first: index, last: index, findings: [...turn.findings] });
  });
  chart.pinned = clamp(chart.pinned, 0, Math.max(0, groups.length - 1));
  at("pins").replaceChildren(...groups.map((group, place) => {
    const first = report.findings[group.findings[0]];
    const name = group.findings.length > 1 ? `${several(group.findings.length, "finding")} from ${nameOf(chart.items[group.first])}: ${label(first.pattern)} first` : `${nameOf(chart.items[group.first])}: ${label(first.pattern)}, ${first.title || first.rule}`;
    const pin = press(whole.format(group.findings.length), () => openPin(group), { "aria-label": name, title: name, tabindex: place === chart.pinned ? "0" : "-1", "data-first": group.first, "data-last": group.last });
    pin.style.left = `${group.px}px`;
    return pin;
  }));
}

function openPin(group) {
  choose(group.first);
  openFinding(group.findings[0]);
}

function walkPins(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const pins = [...at("pins").children];
  pins[chart.pinned].tabIndex = -1;
  chart.pinned = clamp(chart.pinned + step, 0, pins.length - 1);
  pins[chart.pinned].tabIndex = 0;
  pins[chart.pinned].focus();
}

/** All turns in small, with a frame around those in view; hidden while everything is in view. */
function drawOverview() {
  const everything = chart.to - chart.from >= chart.items.length;
  at("overview").hidden = everything;
  if (everything) return;
  const tall = 28, wide = inner(), columns = Math.min(chart.items.length, Math.floor(wide / 2)), most = Math.max(1, ...heights(columns));
  const path = heights(columns).map((value, place) => `M${(LEFT + (place * wide) / columns).toFixed(1)} ${tall}v-${((value / most) * tall).toFixed(1)}h${(wide / columns).toFixed(2)}V${tall}z`).join("");
  const left = LEFT + (chart.from / chart.items.length) * wide, right = LEFT + (chart.to / chart.items.length) * wide;
  at("overview").replaceChildren(mark("svg", { viewBox: `0 0 ${chart.width} ${tall}`, "aria-hidden": "true" }, mark("path", { d: path }),
    mark("rect", { class: "outside", x: LEFT, y: 0, width: left - LEFT, height: tall }),
    mark("rect", { class: "outside", x: right, y: 0, width: Math.max(0, LEFT + wide - right), height: tall }),
    mark("rect", { class: "frame", x: left, y: 0.5, width: Math.max(2, right - left), height: tall - 1 })));
}

function heights(columns) {
  const found = new Array(columns).fill(0);
  total.forEach((value, index) => {
    const place = Math.floor((index * columns) / chart.items.length);
    found[place] = Math.max(found[place], value);
  });
  return found;
}
