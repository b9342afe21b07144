// A dead machine's 60 sessions taken over, against one: each was cut off in a call, its machine gives no sign any more, and its tree is not here.
// On a Postgres of our own, default settings. Two ways in which they are taken over: all at once (claim taken, what was open closed, begun anew: what
// a worker or a program does), and `recover`, the look around of one process over everything that died.
// The goal is the whole of 60 against the whole of one, by the clock; nothing else runs in the process.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { openStore } from "refloat";
import { selfOwner } from "../dist/platform/identity.js";
import { startPostgres } from "./peers/postgres.mjs";
import { median, scratchDirectory } from "./raw.mjs";

const MANY = 60;
const TARGET = 2;
const ROUNDS = 9;
const WARM_UP = 2;
/** Its last sign of life is older than this when somebody looks. */
const LOST_AFTER_MS = 1;
/** No process can have this number: it is above the kernel's own limit. */
const NO_PID = 4_194_999;

/** On another machine it is lost when its sign of life is old; on this one it is dead when its process is gone. */
const OWNERS = {
  elsewhere: () => ({ ...selfOwner("bench"), host: "a-dead-machine" }),
  here: () => ({ ...selfOwner("bench"), pid: NO_PID, started: 1 }),
};

async function cutOff(url, ids, owner) {
  const store = await openStore(url, { thread: false });
  const one = async (id) => {
    const session = await store.begin({
      ...{ id, agent: "bench", workspace: `/far/away/${id}`, captures: "off", owner: owner() },
      thresholdMs: LOST_AFTER_MS,
    });
    const turn = await session.turn("go");
    await turn.call({ id: "c", tool: "deploy", input: { to: "staging" } });
  };
  await Promise.all(ids.map(one));
  await store.close();
}

const WAYS = {
  "taken over at once by `begin`": {
    owner: OWNERS.elsewhere,
    take: async (store, ids) => {
      const agent = { agent: "bench", captures: "off" };
      const taken = await Promise.all(
        ids.map((id) => store.begin({ id, workspace: `/far/away/${id}`, ...agent })),
      );
      if (taken.some(({ attempt }) => attempt !== 2)) throw new Error("not taken over");
      return () => Promise.all(taken.map((session) => session.finish()));
    },
  },
  "recovered by `store.recover`": {
    owner: OWNERS.here,
    take: async (store, ids) => {
      const recovered = await store.recover();
      if (recovered.length !== ids.length) throw new Error(`${recovered.length} of ${ids.length} recovered`);
      return () => Promise.all(ids.map((id) => store.stop(id)));
    },
  },
};

export async function run() {
  const dir = scratchDirectory("takeover");
  spawnSync("chmod", ["755", dir]);
  const server = await startPostgres(dir);
  const rows = [];
  try {
    for (const [way, { owner, take }] of Object.entries(WAYS)) {
      const url = `${server.url("postgres")}?schema=takeover${rows.length}`;
      const times = { 1: [], [MANY]: [] };
      for (let round = 0; round < WARM_UP + ROUNDS; round++)
        for (const count of [1, MANY]) {
          const ids = Array.from({ length: count }, (_, at) => `r${round}-${count}-${at}`);
          await cutOff(url, ids, owner);
          const store = await openStore(url, { thread: false });
          await store.sessions(); // connected
          const startedMs = performance.now();
          const end = await take(store, ids);
          if (round >= WARM_UP) times[count].push(performance.now() - startedMs);
          await end();
          await store.close();
        }
      const ratios = times[MANY].map((ms, round) => ms / times[1][round]).toSorted((a, b) => a - b);
      const value = median(times[MANY]) / median(times[1]);
      rows.push({
        ...{ goal: "fleet", want: "at most", target: TARGET, value },
        what: `${MANY} sessions of a dead machine ${way}, against one`,
        note: `${median(times[MANY]).toFixed(0)} ms against ${median(times[1]).toFixed(0)} ms, rounds ${ratios[0].toFixed(1)} to ${ratios.at(-1).toFixed(1)}; ${(median(times[MANY]) / MANY).toFixed(1)} ms for each of ${MANY}`,
      });
    }
  } finally {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  return rows;
}
