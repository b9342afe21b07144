// The same random operations on Mastra's own in-memory storage and on ours: every answer and every refusal is to be the same. Now and then our
// process is another one: the storage is opened anew, and all it knows is what was written. Prints what was done, as a line of JSON.
import { InMemoryStore } from "@mastra/core/storage";
import { openStore } from "refloat";
import { RefloatMastra } from "refloat/mastra";

const { STORE, SCHEMA, SEED, OPERATIONS } = process.env;
let state = Number(SEED) >>> 0;
/** A linear congruential generator: its whole state is the seed. */
function random(below) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const pick = (list) => list[random(list.length)];
const some = (list) => list.filter(() => random(2) === 0);

const THREADS = ["t1", "t2", "t 3/ä", "x".repeat(600), "#t5"];
const RESOURCES = ["r1", "r2"];
const RUNS = ["run-1", "run-2", "10"];
const WORKFLOWS = ["pay", "pay.nested"];
const STATUSES = ["running", "suspended", "success"];
const START = Date.UTC(2026, 0, 1);
const at = (n) => new Date(START + n * 1000);
/** Of the same moment are only messages of one thread: journals of several have no order among them. */
const atIn = (thread, n) => new Date(START + n * 1000 + THREADS.indexOf(thread));
/** An id belongs to one thread here: where it is saved under another one ours has it in both, as docs/mastra.md says. */
const messagesOf = (thread) => Array.from({ length: 8 }, (_, n) => `${THREADS.indexOf(thread)}-${n}`);
const ids = THREADS.flatMap(messagesOf);

const message = (thread, n) => ({
  id: pick(messagesOf(thread)),
  threadId: thread,
  resourceId: pick(RESOURCES),
  role: pick(["user", "assistant"]),
  type: "text",
  createdAt: atIn(thread, random(5)),
  content: { format: 2, parts: [{ type: "text", text: `said ${n}` }], metadata: { n: n % 3 } },
});
const page = () => ({
  ...pick([{}, { perPage: false }, { perPage: 3, page: random(3) }, { perPage: 0 }]),
  ...pick([{}, { orderBy: { field: "createdAt", direction: pick(["ASC", "DESC"]) } }]),
});
const include = () =>
  pick([
    {},
    { include: [{ id: pick(ids), withPreviousMessages: random(3), withNextMessages: random(3) }] },
    { include: [{ id: pick(ids), threadId: pick(THREADS), withPreviousMessages: 1 }] },
  ]);
const filter = () =>
  pick([{}, { filter: { dateRange: { start: at(1), end: at(3) } } }, { filter: { metadata: { n: 1 } } }]);
const snapshot = (n) => ({
  runId: pick(RUNS),
  status: pick(STATUSES),
  value: {},
  context: { input: { n }, [`step-${n % 4}`]: { status: "success", output: { n }, payload: {} } },
  activePaths: [],
  suspendedPaths: {},
  timestamp: START + n,
});

/** The name of a domain's method and what it is asked. */
function operation(n) {
  const thread = pick(THREADS);
  const resourceId = pick(RESOURCES);
  const run = { workflowName: pick(WORKFLOWS), runId: pick(RUNS) };
  const result = { status: "success", output: { n }, payload: {}, startedAt: START, endedAt: START };
  return pick([
    () => [
      "memory",
      "saveThread",
      {
        thread: {
          id: thread,
          resourceId,
          title: `T${n}`,
          createdAt: at(THREADS.indexOf(thread)),
          updatedAt: at(n),
          metadata: { n: n % 2 },
        },
      },
    ],
    () => ["memory", "getThreadById", { threadId: thread, ...pick([{}, { resourceId }]) }],
    () => [
      "memory",
      "updateThread",
      { id: thread, ...pick([{}, { title: `U${n}` }]), ...pick([{}, { metadata: { extra: n } }]) },
    ],
    () => [
      "memory",
      "updateThreadMetadata",
      { id: thread, update: (found) => (random(2) === 0 ? { ...found.metadata, patched: n } : undefined) },
    ],
    () => ["memory", "updateThreadResourceId", { threadId: thread, resourceId }],
    () =>
      random(4) === 0
        ? ["memory", "deleteThread", { threadId: thread }]
        : ["memory", "getThreadById", { threadId: thread }],
    () => [
      "memory",
      "listThreads",
      { ...page(), ...pick([{}, { filter: { resourceId } }, { filter: { metadata: { n: 1 } } }]) },
    ],
    () => [
      "memory",
      "saveMessages",
      { messages: Array.from({ length: 1 + random(4) }, () => message(thread, n)) },
    ],
    () => ["memory", "saveMessages", { messages: [message(thread, n), message(pick(THREADS), n)] }],
    () => [
      "memory",
      "listMessages",
      { threadId: thread, ...page(), ...include(), ...filter(), ...pick([{}, { resourceId }]) },
    ],
    () => ["memory", "listMessages", { threadId: [thread, pick(THREADS)], ...page(), ...include() }],
    () => ["memory", "listMessagesByResourceId", { resourceId, ...page(), ...filter() }],
    () => ["memory", "listMessagesById", { messageIds: some(ids) }],
    () => [
      "memory",
      "updateMessages",
      {
        messages: some(messagesOf(thread)).map((id) => ({
          id,
          ...pick([{ role: "user" }, { content: { metadata: { seen: n } } }, { resourceId }]),
        })),
      },
    ],
    () => ["memory", "deleteMessages", some(messagesOf(thread)).slice(0, 2)],
    () => [
      "memory",
      "saveResource",
      {
        resource: {
          id: resourceId,
          workingMemory: `w${n}`,
          metadata: { n },
          createdAt: at(1),
          updatedAt: at(2),
        },
      },
    ],
    () => [
      "memory",
      "updateResource",
      { resourceId, ...pick([{}, { workingMemory: `v${n}` }]), metadata: { more: n } },
    ],
    () => ["memory", "getResourceById", { resourceId }],
    () => [
      "memory",
      "copyThread",
      {
        sourceThreadId: thread,
        newThreadId: `copy-${n}`,
        ...pick([{}, { title: "C" }, { options: { messageLimit: 2 } }]),
      },
    ],
    () => [
      "workflows",
      "persistWorkflowSnapshot",
      {
        ...run,
        ...pick([{}, { resourceId }]),
        createdAt: at(RUNS.indexOf(run.runId) * 2 + WORKFLOWS.indexOf(run.workflowName)),
        snapshot: snapshot(n),
      },
    ],
    () => ["workflows", "loadWorkflowSnapshot", run],
    () => [
      "workflows",
      "updateWorkflowResults",
      { ...run, stepId: `step-${n % 4}`, result, requestContext: { n } },
    ],
    () => [
      "workflows",
      "updateWorkflowState",
      { ...run, opts: { status: pick(STATUSES), ...pick([{}, { expectedStatus: "suspended" }]) } },
    ],
    () => [
      "workflows",
      "listWorkflowRuns",
      {
        ...pick([{}, { workflowName: run.workflowName }]),
        ...pick([{}, { status: "suspended" }]),
        ...pick([{}, { resourceId }]),
        ...pick([{}, { perPage: 2, page: random(2) }]),
      },
    ],
    () => ["workflows", "getWorkflowRunById", pick([run, { runId: run.runId }])],
    () => ["workflows", "deleteWorkflowRunById", run],
  ])();
}

/** Without what a clock or chance gave each of them. */
function said(answer) {
  if (answer instanceof Date) return answer.getTime() < START + 10_000_000 ? answer.toISOString() : "now";
  if (Array.isArray(answer)) return answer.map((one) => said(one));
  if (answer === null || typeof answer !== "object") return answer ?? null;
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, said(value)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

async function outcome(storage, [domain, method, asked], until) {
  const found = await storage.getStore(domain);
  state = until;
  try {
    const answer = said(await found[method](structured(asked))) ?? null;
    return JSON.stringify(method === "copyThread" ? await copied(found, asked.newThreadId) : { answer });
  } catch (error) {
    return JSON.stringify({ error: error.message });
  }
}

/** What is in a copy, whose messages have ids by chance; then it goes again. */
async function copied(memory, threadId) {
  const { messages } = await memory.listMessages({ threadId, perPage: false });
  const thread = await memory.getThreadById({ threadId });
  const { clone } = thread.metadata;
  await memory.deleteThread({ threadId });
  return said({
    thread: { ...thread, metadata: { ...thread.metadata, clone: Object.keys(clone).toSorted() } },
    messages: messages.map((one) => ({ ...one, id: "by chance" })),
    left: await memory.getThreadById({ threadId }),
  });
}

/** Each of them gets its own: the in-memory one keeps what it is handed. */
function structured(asked) {
  const { update, ...rest } = Array.isArray(asked) ? {} : asked;
  if (Array.isArray(asked)) return [...asked];
  return { ...structuredClone(rest), ...(update ? { update } : {}) };
}

const open = async () => {
  const store = await openStore(STORE, SCHEMA ? { schema: SCHEMA } : {});
  return { store, storage: new RefloatMastra(store) };
};

const theirs = new InMemoryStore();
let ours = await open();
const done = {};
let reopened = 0;
const differ = [];
for (let n = 0; n < Number(OPERATIONS) && differ.length < 3; n++) {
  if (random(25) === 0) {
    await ours.storage.close();
    await ours.store.close();
    ours = await open();
    reopened++;
  }
  const asked = operation(n);
  const before = state;
  const [a, b] = [await outcome(theirs, asked, before), await outcome(ours.storage, asked, before)];
  done[asked[1]] = (done[asked[1]] ?? 0) + 1;
  if (a !== b)
    differ.push({
      n,
      asked: JSON.stringify(asked).slice(0, 1000),
      theirs: a.slice(0, 3000),
      ours: b.slice(0, 3000),
    });
}
await ours.storage.close();
await ours.store.close();
console.log(JSON.stringify({ done, reopened, differ }));
