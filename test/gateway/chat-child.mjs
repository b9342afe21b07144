// The example's chat server as a process to be killed. Its orders are one JSON argument (`ChildOrders` in
// chat-process.ts). What its tools do is written to a file by the tools themselves, as the world would remember it.
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";
import { startChatServer } from "../../examples/gateway/chat-server.mjs";
import { scriptedModel } from "../../examples/gateway/scripted-model.mjs";

const orders = JSON.parse(process.argv[2]);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Real sleeping, a given time of day: cycles of minutes are tested in seconds. */
const clock = {
  nowMs: () => (orders.clock ? Number(readFileSync(orders.clock, "utf8")) : (orders.nowMs ?? Date.now())),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
};

const did = (what) => appendFileSync(orders.world, `${what}\n`);

const tools = {
  work: async ({ step }) => {
    did(`work ${step}`);
    await sleep(orders.toolMs);
    return `step ${step}`;
  },
  reboot: async () => did("reboot"),
  restart: async () => {
    did("restart");
    process.kill(process.pid, "SIGKILL");
    await sleep(60_000);
  },
};

/** An authorisation that waits for its file to hold an answer keeps recovery, and so the gate, from ending. */
async function authorise() {
  while (orders.authorise) {
    const said = readFileSync(orders.authorise, "utf8").trim();
    if (said !== "") return said === "yes";
    await sleep(5);
  }
  return true;
}

const store = await openStore(orders.url, { ...orders.open, clock });
if (orders.breakStore) {
  const { driver } = store.raw;
  const { commit } = driver;
  process.on("SIGUSR2", () => {
    driver.commit = driver.commit === commit ? () => Promise.reject(new Error("the disk is gone")) : commit;
    say({ broken: driver.commit !== commit });
  });
}
if (orders.dieAfter || orders.failOnce) {
  const { driver } = store.raw;
  const { commit } = driver;
  let isFailed = false;
  driver.commit = async (group) => {
    const kinds = group.flatMap(({ records }) => (records ?? []).map(({ kind }) => kind));
    if (!isFailed && kinds.includes(orders.failOnce)) {
      isFailed = true;
      throw new Error("the disk is full");
    }
    const outcomes = await commit.call(driver, group);
    if (kinds.includes(orders.dieAfter)) process.kill(process.pid, "SIGKILL");
    return outcomes;
  };
}
const model = scriptedModel(tools);

/** A history that kills whoever reads it, again and again; after a while, so that others run at the same time. */
async function answer(context) {
  if (JSON.stringify(context.session.view("model").items).includes("poison")) {
    did(`poison ${context.session.id}`);
    await sleep(300);
    process.kill(process.pid, "SIGKILL");
    await sleep(60_000);
  }
  return model(context);
}

process.on("SIGHUP", () => {
  throw new Error("nobody catches this");
});
const server = await startChatServer({
  store,
  tools,
  answer,
  platform: orders.platform,
  authorise,
  policy: orders.policy,
  onNotice: ({ kind, session, text }) => say({ notice: kind, session, text }),
  onTrouble: ({ session, error }) => say({ trouble: session, message: String(error?.message) }),
});
process.on("SIGTERM", async () => {
  say({ draining: true });
  const { interrupted } = await server.close(orders.drainMs);
  await store.close();
  say({ interrupted });
});
// Said once a signal would be heard: who reads it may send one at once.
say({ port: server.port });
const start = await server.gateway.opened;
say({ start });
