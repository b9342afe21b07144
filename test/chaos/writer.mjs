// A writer to be killed. Its only argument is its orders, as JSON (`WriterOrders` in run-writer.ts); what it
// does follows from the seed, and everything it does is said through the ledger (writer-ledger.mjs).
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { acknowledgeEarly, op, say, tapStore } from "./writer-ledger.mjs";
import { endLife, newState, OPERATIONS } from "./writer-script.mjs";

const config = JSON.parse(process.argv[2]);
const built = (path) => import(pathToFileURL(join(config.built, path)).href);

/** A small generator with a seed: whole numbers below its argument. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

async function openStore(api) {
  let store;
  await op("open", {}, async () => {
    store = await api.openStore(config.url, config.open);
  });
  if (config.break === "early-ack") acknowledgeEarly(store.raw, config.session);
  tapStore(store.raw);
  return store;
}

async function begin(store) {
  let session;
  await op("begin", { session: config.session }, async () => {
    session = await store.begin({
      id: config.session,
      agent: "chaos",
      workspace: "/w",
      goal: "to be killed",
      lift: "the sweep goes on", // L2: killed again and again is what it is for
    });
    return { attempt: session.attempt, recovered: session.recovered };
  });
  return session;
}

/** Half of the time something possible that was not done yet in this life, so that a life of some length does everything. */
function choose(state, done) {
  const possible = OPERATIONS.filter(([, , when]) => when(state));
  const fresh = possible.filter(([name]) => !done.has(name));
  if (fresh.length > 0 && state.random(2) === 0) return fresh[state.random(fresh.length)];
  const tickets = possible.flatMap((operation) => Array(operation[1]).fill(operation));
  return tickets[state.random(tickets.length)];
}

const modules = ["index.js", "store/import.js", "store/backup.js"];
const api = Object.assign({}, ...(await Promise.all(modules.map(built))));
const store = await openStore(api);
const session = await begin(store);
const state = newState({ store, session, random: randomFrom(config.seed), config, api });
state.queue = await session.queue();

const done = new Set();
for (let i = 0; i < config.operations || done.size < OPERATIONS.length; i++) {
  const [name, , , work] = choose(state, done);
  await work(state);
  done.add(name);
}
await endLife(state);
say({ k: "end" });
