// Making elements. Text only ever becomes a text node: nothing of a transcript is read as markup.

const SVG = "http://www.w3.org/2000/svg";
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const mark = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const at = (id) => document.getElementById(id);
const put = (id, ...children) => at(id).replaceChildren(...children.flat(Infinity).filter((child) => child !== null));

/** A text of the transcript: its own writing direction stays its own. */
const foreign = (text, kind = "") => el("span", { class: `foreign ${kind}`.trim(), dir: "auto" }, String(text));
/** A number that a program can read off the page. */
const number = (value, attributes = {}) =>
  value === null || value === undefined ? el("span", {}, "–") : el("data", { value, ...attributes }, whole.format(value));
const label = (name) => String(name).replaceAll("_", " ");
const several = (count, noun) => `${whole.format(count)} ${count === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;
const sum = (counts) => Object.values(counts).reduce((total, each) => total + each, 0);
const promptOf = (usage) => usage.input + usage.cached_read + usage.cache_write;

function percent(part, all) {
  if (!all) return "–";
  const share = (100 * part) / all;
  return share > 0 && share < 0.5 ? "<1 %" : `${Math.round(share)} %`;
}

const BUCKETS = ["system", "tool_definitions", "tool_results", "conversation", "thinking", "evidence", "memory", "unseen"];
const USAGE = ["cached_read", "cache_write", "uncached"];
const KINDS = [...BUCKETS, ...USAGE];
const colour = (bucket) => (bucket === "unseen" ? "unshown" : KINDS.includes(bucket) ? bucket : "other");
const bucketsOf = (...counts) => {
  const named = new Set(counts.flatMap((each) => Object.keys(each).filter((name) => each[name])));
  return [...KINDS.filter((name) => named.has(name)), ...[...named].filter((name) => !KINDS.includes(name)).sort()];
};
const swatch = (bucket) => el("i", { class: `swatch ${colour(bucket)}`, "aria-hidden": "true" });
const link = (text, act, attributes = {}) => el("button", { type: "button", class: "link", onclick: act, ...attributes }, text);
const press = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
