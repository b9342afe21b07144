// The gateway: recovery at start with 200 interrupted conversations against one; memory after 10,000 turns against
// after 2,000. Recovery is from opening the gateway until its gate opens: every conversation found and judged. What
// each of them then does, its claim first, is not part of it. Beside it, in the same rounds, the statements alone (prototypes/recovery.mjs).
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openGateway, openStore } from "refloat";
import { bareRecovery } from "./prototypes/recovery.mjs";
import { median, scratchDirectory } from "./raw.mjs";

const MANY = 200;
const ROUNDS = 7;
const TURNS_BEFORE = 3;
const CONVERSATIONS = 50;
const WARM_TURNS = 2_000;
const TURNS = 10_000;

const PLACE = { agent: "bench", workspace: "gateway:bench" };
/** Nobody has this pid: its claims are a dead owner's. */
const DEAD = { pid: 2 ** 30, started: 1 };

async function interruptedStore(dir, conversations) {
  const path = join(dir, "made.db");
  const store = await openStore(path);
  const some = await store.begin({ ...PLACE, id: "owner" });
  const { owner } = (await store.raw.session("owner")).claim;
  await some.finish();
  const make = async (number) => {
    const id = `chat-${number}`;
    const session = await store.begin({ ...PLACE, id, owner: { ...owner, ...DEAD, instance: id } });
    for (let i = 0; i < TURNS_BEFORE; i++) {
      const turn = await session.turn(await session.enqueue(`question ${i}`));
      await turn.append({ role: "assistant", parts: `answer ${i}` });
      await turn.end("completed");
    }
    const turn = await session.turn(await session.enqueue("the last question"));
    await turn.call({ tool: "bash", input: { command: "make" } });
  };
  await Promise.all(Array.from({ length: conversations }, (_, number) => make(number)));
  await store.close();
  return path;
}

async function recoveryMs(made) {
  // A folder of its own: beside the file lies the mark of its last sequence number.
  const dir = scratchDirectory("gateway-round");
  const path = join(dir, "store.db");
  copyFileSync(made, path);
  const store = await openStore(path);
  const startedMs = performance.now();
  const gateway = await openGateway(store, {
    name: "bench",
    ...PLACE,
    answer: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
    deliver: async () => ({ kind: "delivered" }),
  });
  const { conversations } = await gateway.opened;
  const ms = performance.now() - startedMs;
  if (conversations.some(({ planned }) => planned.kind !== "resume")) throw new Error("not all were resumed");
  await gateway.close({ timeoutMs: 0 });
  await store.close();
  rmSync(dir, { recursive: true });
  return { ms, found: conversations.length };
}

function bareMs(made) {
  const dir = scratchDirectory("gateway-bare");
  const path = join(dir, "store.db");
  copyFileSync(made, path);
  const { ms, found } = bareRecovery(path, PLACE.workspace);
  rmSync(dir, { recursive: true });
  return { ms, found };
}

async function recovery() {
  const dirs = [scratchDirectory("gateway-one"), scratchDirectory("gateway-many")];
  const [one, many] = [await interruptedStore(dirs[0], 1), await interruptedStore(dirs[1], MANY)];
  const times = { one: [], many: [] };
  const bare = { one: [], many: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.one.push((await recoveryMs(one)).ms);
    const { ms, found } = await recoveryMs(many);
    if (found !== MANY) throw new Error(`found ${found}`);
    times.many.push(ms);
    bare.one.push(bareMs(one).ms);
    const alone = bareMs(many);
    if (alone.found !== MANY) throw new Error(`the parts alone found ${alone.found}`);
    bare.many.push(alone.ms);
  }
  for (const dir of dirs) rmSync(dir, { recursive: true });
  const ratios = times.many.map((ms, i) => ms / times.one[i]);
  return {
    goal: "PG",
    what: `recovery at start, ${MANY} interrupted conversations against one`,
    value: median(ratios),
    target: 5,
    want: "at most",
    note: `p50 ${median(times.many).toFixed(1)} ms against ${median(times.one).toFixed(1)} ms; rounds ${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}; the parts alone ${(median(bare.many) / median(bare.one)).toFixed(2)}x (${median(bare.many).toFixed(1)} ms against ${median(bare.one).toFixed(1)} ms)`,
  };
}

async function memory() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const dir = scratchDirectory("gateway-memory");
  const store = await openStore(join(dir, "store.db"));
  const gateway = await openGateway(store, {
    name: "bench",
    ...PLACE,
    answer: async ({ input }) => ({ kind: "reply", parts: `answer to ${input.id}` }),
    deliver: async () => ({ kind: "delivered" }),
  });
  await gateway.opened;
  let sent = 0;
  const turns = async (until) => {
    while (sent < until) {
      const some = Array.from({ length: CONVERSATIONS }, (_, i) =>
        gateway.receive({ session: `chat-${i}`, id: `m${sent + i}`, input: "x".repeat(1000) }),
      );
      await Promise.all(some);
      sent += CONVERSATIONS;
      await gateway.idle();
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const warm = await turns(WARM_TURNS);
  const full = await turns(TURNS);
  await gateway.close();
  await store.close();
  rmSync(dir, { recursive: true });
  return {
    goal: "PG",
    what: `memory after ${TURNS} turns against after ${WARM_TURNS}`,
    value: full / warm,
    target: 1.1,
    want: "at most",
    note: `${(full / 1e6).toFixed(1)} MB against ${(warm / 1e6).toFixed(1)} MB of heap, ${CONVERSATIONS} conversations`,
  };
}

export async function run() {
  return [await recovery(), await memory()];
}
