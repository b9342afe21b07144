// Works on a state file until it is killed, saying on fd 3 what it is about to do and what was acknowledged.
//   node stepper.mjs '{"built": dist, "store": {"url", "schema"?}, "file": path, "owner": id, "seed": n, "rounds": n, "mode": "sweep"|"share"}'
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const orders = JSON.parse(process.argv[2]);
const from = (path) => import(pathToFileURL(`${orders.built}/${path}`).href);
const { openRawStore } = await from("store/open-raw-store.js");
const { initState } = await from("workflow/new-state.js");
const { actOnStep, decide } = await from("workflow/step-acts.js");
const { claimOwner } = await from("workflow/claim-owner.js");

const STEPS = ["1", "2", "3", "3.5", "4", "5", "6", "7"];
const RETRY_MS = 5;
const EXTRAS = { artifacts: [], contextFiles: [], findings: [], resolved: [] };
const { url, ...how } = orders.store;
const store = await openRawStore(url, { thread: false, ...how });
const owner = claimOwner(undefined, orders.owner);
let number = 0;

const say = (line) => writeSync(3, `${JSON.stringify(line)}\n`);

/** The result, or the code of a refusal: losing a race is an answer. */
async function attempt(op, data, act) {
  number++;
  say({ k: "intent", op, ...data });
  try {
    const result = await act();
    say({ k: "ack", op, ...data, attempt: result?.attempt ?? null, token: result?.token ?? null });
    return result;
  } catch (thrown) {
    if (typeof thrown.code !== "string" || thrown.code === "E_INTERNAL") throw thrown;
    say({ k: "refused", op, code: thrown.code, ...data });
    return null;
  }
}

const step = (kind, id, more = {}) =>
  attempt(kind, { step: id, ...more }, () =>
    actOnStep(
      store,
      orders.file,
      id,
      { kind, reason: null, ...more },
      { owner, token: null, extras: EXTRAS },
    ),
  );
const choose = (id) => {
  const key = `${orders.owner}-${orders.seed}-${number}`;
  return attempt("decide", { key }, () =>
    decide(store, orders.file, { key, value: "x", reason: null, step: id }),
  );
};

if (orders.mode === "sweep") {
  const init = { project: "sweep", branch: "main", region: "", version: "2.0" };
  await attempt("init", {}, () => initState(store, orders.file, init));
  for (let round = 0; round < orders.rounds; round++) {
    const id = STEPS[(orders.seed + round) % STEPS.length];
    await step("reset", id);
    await step("start", id);
    await choose(id);
    await step("sub", id, { name: `phase_${round}` });
    await step("done", id);
  }
} else {
  for (let round = 0; round < orders.rounds; round++) {
    for (const id of STEPS) {
      const isLast = id === "7";
      let started = await step("start", id);
      // The last one everybody has in every round, however long others hold it.
      for (; !started && isLast; started = await step("start", id)) await setTimeout(RETRY_MS);
      if (!started) continue;
      await choose(id);
      // Most are finished once and for all; the last step is given back again and again: its tokens must only grow.
      await step(isLast ? "reset" : "done", id);
    }
  }
}
await store.close();
