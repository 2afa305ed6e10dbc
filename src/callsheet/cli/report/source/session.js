// The session as the page needs it: its turns in order, and at each what went wrong there.

const report = JSON.parse(at("report").textContent);
const turns = turnsOf(report);
const places = new Map(turns.map((turn, index) => [key(turn), index]));
const rounds = report.cache.rounds;
const byRound = new Map(rounds.map((round) => [round.round, round]));

function key(thing) {
  return `${thing.turn}\n${thing.thread}`;
}

/** The turns with their buckets; where a file shows none, the turns that its calls and findings name. */
function turnsOf(of) {
  const known = of.buckets.length ? of.buckets : [...of.cache.rounds, ...of.findings].map(({ turn, thread, record = 0 }) => ({ turn, thread, record }));
  const seen = new Map();
  for (const each of known) if (!seen.has(key(each))) seen.set(key(each), each);
  const empty = { calls: 0, prompt: {}, billed: {}, usage: { input: 0, cached_read: 0, cache_write: 0, output: 0 }, title: "", at: null };
  return [...seen.values()].map((each) => ({ ...empty, ...each, findings: [], breaks: [], rounds: [] }));
}

/** Where a call or a finding is: its turn by name, else the last turn that began before its record. */
function indexOf(thing) {
  const named = places.get(key(thing));
  if (named !== undefined) return named;
  let low = 0, high = turns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (turns[middle].record <= (thing.record ?? -1)) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The calls of the model as a second line of time, where usage was reported: what of each prompt the cache held. */
const calls = rounds.some((round) => promptOf(round.usage)) ? rounds.map((round) => ({
  ...round, rounds: [round], findings: [], breaks: [],
  counts: { cached_read: round.usage.cached_read, cache_write: round.usage.cache_write, uncached: round.usage.input },
})) : [];
const callOf = new Map(calls.map((call, index) => [call.round, index]));

/** The call that a break names; for a finding the last one before its evidence, for a turn its first one. */
function callIndexOf(thing) {
  if (callOf.has(thing.round)) return callOf.get(thing.round);
  const record = thing.evidence?.[0]?.record ?? -1;
  let found = -1;
  calls.forEach((call, index) => {
    if (call.thread === thing.thread && (record < 0 ? key(call) === key(thing) && found < 0 : call.record <= record)) found = index;
  });
  return Math.max(0, found < 0 ? calls.findIndex((call) => key(call) === key(thing)) : found);
}

function nameOf(thing) {
  const turn = `turn ${whole.format(thing.turn)}${thing.thread ? ` of ${thing.thread}` : ""}`;
  return thing.counts ? `call ${whole.format(thing.round)}, ${turn}` : turn;
}

const broken = (each) => byRound.get(each.round) ?? { turn: -1, thread: "", record: each.record };
if (turns.length) {
  report.findings.forEach((finding, number) => turns[indexOf(finding)].findings.push(number));
  for (const round of rounds) turns[indexOf(round)].rounds.push(round);
  for (const each of report.cache.breaks) turns[indexOf(broken(each))].breaks.push(each);
}
if (calls.length) {
  report.findings.forEach((finding, number) => calls[callIndexOf(finding)].findings.push(number));
  for (const each of report.cache.breaks) calls[callIndexOf(each)].breaks.push(each);
}
