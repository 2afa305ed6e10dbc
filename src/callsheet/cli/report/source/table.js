// Tables that sort, filter and turn pages, so that ten thousand rows are as light as ten.

const PAGE = 50;
const PRINTED = 500;
const printed = [];

/** A table of `rows`; a column has a `name`, a `value` to sort and search by, and may have its own `cell`. */
function grid(title, columns, rows, { filter = false, sorted = null } = {}) {
  const state = { by: sorted, down: sorted !== null, from: 0, words: "", size: PAGE };
  const body = el("tbody");
  const status = el("span", { class: "quiet", role: "status" });
  const back = press("Previous", () => turnPage(-1), { "aria-label": `Previous rows of ${title}` });
  const next = press("Next", () => turnPage(1), { "aria-label": `Next rows of ${title}` });
  const heads = columns.map((column, index) =>
    el("th", { scope: "col", class: column.number ? "number" : null }, press(column.name, () => sortBy(index))));
  let chosen = rows;

  function choose() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (row) => columns.map((column) => column.value(row)).join("\n").toLowerCase();
    chosen = words.length ? rows.filter((row) => words.every((word) => text(row).includes(word))) : [...rows];
    if (state.by !== null) chosen.sort((one, other) => (state.down ? -1 : 1) * order(columns[state.by].value(one), columns[state.by].value(other)));
    state.from = 0;
    draw();
  }

  function draw() {
    const shown = chosen.slice(state.from, state.from + state.size);
    body.replaceChildren(...shown.map((row) => el("tr", {}, columns.map((column) => cell(column, row)))));
    heads.forEach((head, index) => fill(head, { "aria-sort": index !== state.by ? "none" : state.down ? "descending" : "ascending" }, []));
    const range = shown.length < chosen.length ? `${whole.format(state.from + 1)}–${whole.format(state.from + shown.length)} of ` : "";
    const all = chosen.length < rows.length ? ` (of ${whole.format(rows.length)})` : "";
    status.textContent = `${range}${several(chosen.length, "row")}${all}`;
    back.hidden = next.hidden = chosen.length <= state.size;
    back.disabled = state.from === 0;
    next.disabled = state.from + state.size >= chosen.length;
  }

  function sortBy(index) {
    state.down = state.by === index ? !state.down : Boolean(columns[index].number);
    state.by = index;
    choose();
  }

  function turnPage(by) {
    state.from = Math.max(0, state.from + by * state.size);
    draw();
  }

  printed.push((size) => { state.size = size; state.from = 0; draw(); });
  choose();
  const search = filter && el("label", {}, el("span", { class: "unseen" }, `Filter ${title}`),
    el("input", { type: "search", placeholder: "Filter", oninput: (event) => { state.words = event.target.value; choose(); } }));
  return el("div", { class: "grid" },
    el("div", { class: "tools" }, search || el("span"), el("div", { class: "controls" }, status, back, next)),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      el("table", {}, el("caption", { class: "unseen" }, title), el("thead", {}, el("tr", {}, heads)), body)));
}

function cell(column, row) {
  const kind = [column.number && "number", column.wide && "wide"].filter(Boolean).join(" ");
  const value = column.value(row);
  if (column.cell) return el("td", { class: kind || null }, column.cell(row));
  if (column.number) return el("td", { class: kind }, number(value));
  return el("td", { class: kind || null }, value === "" || value === null ? "–" : fill(foreign(value), { title: value }, []));
}

/** Numbers by size, texts by their letters; what is missing counts as least. */
function order(one, other) {
  if (one === other) return 0;
  if (one === null || one === undefined) return -1;
  if (other === null || other === undefined) return 1;
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one) < String(other) ? -1 : 1;
}

/** On paper no page can be turned, so tables grow to what a reader would still print. */
addEventListener("beforeprint", () => printed.forEach((resize) => resize(PRINTED)));
addEventListener("afterprint", () => printed.forEach((resize) => resize(PAGE)));
