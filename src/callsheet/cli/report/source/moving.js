// Moving about the timeline: by keys, by pointer, by buttons.

const FEWEST = 8;

function look(from, to) {
  const span = clamp(to - from, Math.min(NARROWEST, chart.items.length), chart.items.length);
  chart.from = clamp(from, 0, chart.items.length - span);
  chart.to = chart.from + span;
  draw();
  leave();
}

/** Zooms around the chosen turn, or around a place. */
function zoom(by, around = clamp(chart.chosen + 0.5, chart.from, chart.to)) {
  const span = (chart.to - chart.from) * by, share = (around - chart.from) / (chart.to - chart.from);
  look(around - span * share, around + span * (1 - share));
}

function choose(index) {
  chart.chosen = clamp(Math.round(index), 0, chart.items.length - 1);
  const span = chart.to - chart.from;
  if (chart.chosen < chart.from || chart.chosen + 1 > chart.to) look(chart.chosen + 0.5 - span / 2, chart.chosen + 0.5 + span / 2);
  else showChosen();
  chart.listeners.forEach((listener) => listener(chart.items[chart.chosen]));
}

function keys(event) {
  const far = Math.max(2, Math.round((chart.to - chart.from) / 10));
  const moves = {
    ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: far, PageDown: -far, Home: -Infinity, End: Infinity,
  };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in moves) choose(clamp(chart.chosen + moves[event.key], 0, chart.items.length - 1));
  else if (event.key === "+" || event.key === "=") zoom(0.5);
  else if (event.key === "-") zoom(2);
  else if (event.key === "0") look(0, chart.items.length);
  else if (event.key === "Enter" && chart.items[chart.chosen].findings.length) openFinding(chart.items[chart.chosen].findings[0]);
  else return;
  event.preventDefault();
}

const pixel = (event) => event.clientX - at("plot").getBoundingClientRect().left;
const under = (event) => clamp(Math.floor(indexAt(pixel(event))), 0, chart.items.length - 1);

function hover(event) {
  const px = clamp(pixel(event), LEFT, chart.width - RIGHT);
  fill(at("cursor"), { x1: px, x2: px, visibility: "visible" }, []);
  if (chart.drag !== undefined) {
    fill(at("brush"), { x: Math.min(px, chart.drag), width: Math.abs(px - chart.drag) }, []);
    return;
  }
  const bar = bars().find((each) => under(event) < each.first + each.size) ?? { top: under(event), size: 1 };
  readOut(bar.top, bar.size);
}

function readOut(index, size) {
  const turn = chart.items[index], counts = countsOf(turn);
  const largest = bucketsOf(counts).sort((one, other) => counts[other] - counts[one]).slice(0, 3);
  const parts = largest.map((name) => `${label(name)} ${whole.format(counts[name])}`).join(", ");
  const gathered = size > 1 ? `, the largest of ${size} ${noun()}s` : "";
  put("readout", foreign(`${nameOf(turn)}${gathered}: ${whole.format(sum(counts))} tokens (${parts || "none counted"})`));
}

function leave() {
  const size = bars()[0]?.size ?? 1;
  at("cursor").setAttribute("visibility", "hidden");
  put("readout", size > 1 ? `Each bar is the largest of ${size} ${noun()}s; drag across some to see them closer.` : `Click a ${noun()} to see what was in it.`);
}

function release(event) {
  const from = chart.drag;
  chart.drag = undefined;
  if (from === undefined) return;
  const px = pixel(event);
  at("brush").setAttribute("width", "0");
  if (Math.abs(px - from) < 6) choose(under(event));
  else look(Math.floor(indexAt(Math.min(px, from))), Math.ceil(indexAt(Math.max(px, from))));
}

function wheel(event) {
  if (event.ctrlKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, clamp(indexAt(pixel(event)), chart.from, chart.to));
  else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const by = (event.deltaX / inner()) * (chart.to - chart.from);
    look(chart.from + by, chart.to + by);
  } else return;
  event.preventDefault();
}

function pan(event) {
  if (!event.buttons) return;
  const share = (event.clientX - at("overview").getBoundingClientRect().left - LEFT) / inner(), span = chart.to - chart.from;
  look(share * chart.items.length - span / 2, share * chart.items.length + span / 2);
}

/** The index of a finding, a break or a turn in what the timeline shows now. */
const place = (thing) => (chart.of === "calls" ? callIndexOf(thing) : indexOf(thing.cause ? broken(thing) : thing));

/** Shows turns by their last prompt or by all of them, or each call by its cache; the largest is chosen first. */
function lookAt(kind) {
  const items = kind === "calls" ? calls : turns, anew = items !== chart.items || !total.length;
  Object.assign(chart, { of: kind, items });
  for (const name of ["prompt", "billed", "calls"]) at(`of-${name}`)?.setAttribute("aria-pressed", String(name === kind));
  fill(at("plot"), { "aria-label": kind === "calls" ? "Call" : "Turn", "aria-valuemax": items.length }, []);
  if (!anew) return draw();
  const sizes = items.map((item) => sum(countsOf(item)));
  Object.assign(chart, { from: 0, to: items.length, chosen: 0 });
  draw();
  leave();
  choose(sizes.reduce((most, size, index) => (size > sizes[most] ? index : most), 0));
}

/** Puts the timeline's parts on the page and makes them answer. */
function startTimeline() {
  if (!chart.items.length) {
    put("chart", el("p", { class: "quiet" }, "This transcript shows no turn."));
    return;
  }
  const kind = (name, text) => press(text, () => lookAt(name), { id: `of-${name}`, "aria-pressed": "false" });
  put("timeline-controls", kind("prompt", "Last prompts"), kind("billed", "All prompts"), calls.length ? kind("calls", "Each call") : null,
    press("−", () => zoom(2), { id: "zoom-out", "aria-label": "Zoom out" }), press("+", () => zoom(0.5), { id: "zoom-in", "aria-label": "Zoom in" }),
    press("Everything", () => look(0, chart.items.length), { id: "zoom-all" }));
  const plot = el("div", { id: "plot", class: "plot", tabindex: "0", role: "slider", "aria-valuemin": 1, "aria-describedby": "keys",
    onkeydown: keys, onpointermove: hover, onpointerleave: leave, onwheel: wheel, onpointerup: release,
    onpointerdown: (event) => { if (event.button === 0) { chart.drag = pixel(event); plot.setPointerCapture(event.pointerId); } },
    onpointercancel: () => { chart.drag = undefined; } });
  put("chart", el("p", { id: "readout", class: "readout quiet" }),
    el("div", { id: "pins", class: "pins", role: "toolbar", "aria-label": "Findings on the timeline", onkeydown: walkPins }), plot,
    el("div", { id: "overview", class: "overview", "aria-hidden": "true", onpointerdown: pan, onpointermove: pan }),
    el("p", { id: "legend", class: "legend" }),
    el("p", { id: "keys", class: "unseen" }, "Arrow keys go from one to the next, plus and minus zoom, 0 shows everything, Enter opens the first finding there."),
    el("div", { id: "turn", class: "turn" }));
  lookAt(turns.length < FEWEST && calls.length > turns.length ? "calls" : "prompt");
  new ResizeObserver(() => { if (at("plot").clientWidth !== chart.width) draw(); }).observe(plot);
}
