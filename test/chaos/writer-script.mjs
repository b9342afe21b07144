// What the writer does: a table of operations, each possible in some states, each saying through the ledger
// what it means to do. All text is made from tokens no other operation uses, so that the checker can find it.
import { join } from "node:path";
import { op, sha256 } from "./writer-ledger.mjs";

/** A body of this many characters does not fit into its row: it goes to the contents first. */
const SPILLED_CHARS = 300_000;
/** The last chunk of a content of this size is a short one. */
const BIG_CONTENT_BYTES = 1_300_000;
/** More than a driver sends in one statement. */
const CHUNKS_IN_ONE_GO = 18;
/** One more than a batch of an import, so that every import is two changes at least. */
export const IMPORTED_PER_LIFE = 201;

/** The same text for writer and checker. It is cut anywhere, also inside an emoji. */
export function textOf(token, chars) {
  const pattern = `${token} \u{1f6a2}ö `;
  return pattern.repeat(Math.ceil(chars / pattern.length)).slice(0, chars);
}

/** What the operations need: filled as the life goes on. */
export function newState({ store, session, random, config, api }) {
  return {
    store,
    session,
    random,
    config,
    api,
    turn: null,
    queue: [],
    calls: [],
    /** The turn of each call, while that is not cancelled. */
    callTurns: new Map(),
    stream: null,
    operations: [],
    recordIds: [],
    seqs: [],
    contents: [],
    hasSide: false,
    tokens: 0,
  };
}

const token = (s) => `t${s.config.life}x${++s.tokens}`;
const pick = (s, list) => list[s.random(list.length)];
const remove = (list, item) => list.splice(list.indexOf(item), 1);

async function enqueue(s) {
  const text = token(s);
  const about = { input: `in-${text}`, token: text };
  const receipt = await op("enqueue", about, () => s.session.enqueue(textOf(text, 40), { id: about.input }));
  s.queue.push(receipt);
  s.recordIds.push(`input:${receipt.id}`);
}

async function turnOnQueued(s) {
  const input = s.queue.shift();
  const work =
    s.config.break === "two-step-take" ? () => takeInTwoSteps(s, input) : () => s.session.turn(input);
  await beganTurn(s, "turn.queued", { input: input.id }, work);
}

/** The deliberate break of C1 for the sweep's own test: between the two the text is in neither place. */
async function takeInTwoSteps(s, input) {
  const [queued] = (await s.session.queue()).filter(({ id }) => id === input.id);
  const body = { input: input.id, reason: "taken in two steps" };
  const record = { id: `dropped:${input.id}`, kind: "input.dropped", atMs: 0, body };
  await s.store.raw.append(s.session.id, "anyone", [record]);
  return s.session.turn(queued.parts);
}

async function turnOnText(s) {
  const text = token(s);
  await beganTurn(s, "turn.direct", { token: text }, () => s.session.turn(textOf(text, 60)));
}

const continueTurn = (s) => beganTurn(s, "turn.continue", {}, () => s.session.continueTurn());

async function beganTurn(s, name, about, work) {
  await op(name, about, async () => {
    s.turn = await work();
    return { turn: s.turn.id };
  });
  s.seqs.push(s.session.head);
}

async function takeIntoTurn(s) {
  const input = s.queue.shift();
  await op("turn.take", { input: input.id, turn: s.turn.id }, () => s.turn.take(input));
}

async function cancelFor(s) {
  const input = s.queue.shift();
  const cancelled = s.turn.id;
  const about = { input: input.id, cancelled, stream: written(s) };
  await op("turn.cancelFor", about, async () => {
    s.turn = await s.turn.cancelFor(input);
    return { turn: s.turn.id };
  });
  stopped(s, cancelled);
}

async function endTurn(s) {
  const outcome = pick(s, ["completed", "completed", "failed", "cancelled"]);
  const turn = s.turn.id;
  await op("turn.end", { turn, outcome, stream: written(s) }, () => s.turn.end(outcome));
  s.turn = null;
  s.stream = null;
  if (outcome === "cancelled") stopped(s, turn);
}

/** A turn's end takes along what its stream has not flushed yet (C3): half of the time there is some. */
function written(s) {
  const { stream } = s;
  if (!stream) return null;
  if (s.random(2) === 0) {
    stream.message.write(textOf(stream.token, stream.chars + 10).slice(stream.chars));
    stream.chars += 10;
  }
  return { message: stream.message.id, token: stream.token, chars: stream.chars };
}

/** Its calls have a result now: what their tools say later is kept beside it. */
function stopped(s, turn) {
  s.stream = null;
  for (const [call, of] of s.callTurns) if (of === turn) s.callTurns.delete(call);
}

async function addMessage(s) {
  const text = token(s);
  const about = { id: `m-${text}`, token: text, chars: 20 + s.random(400) };
  const role = pick(s, ["assistant", "assistant", "user", "system"]);
  const parts = textOf(text, about.chars);
  const got = await op("message.add", about, () => s.turn.append({ id: about.id, role, parts }));
  s.recordIds.push(got.id);
  s.seqs.push(got.seq);
}

async function openStream(s) {
  const text = token(s);
  s.stream = { token: text, chars: 0, message: null };
  await growStream(s, () => {
    s.stream.message = s.turn.message("assistant", { id: `s-${text}` });
  });
}

/** Many small deltas, then one flush: what is written after the last flush may be lost with the writer (C3). */
async function growStream(s, open = () => undefined) {
  const { stream } = s;
  const deltas = Array.from({ length: 1 + s.random(30) }, () => 1 + s.random(25));
  const after = stream.chars + deltas.reduce((sum, one) => sum + one, 0);
  const about = { message: `s-${stream.token}`, token: stream.token, chars: after };
  await op("stream.flush", about, () => {
    open();
    for (const chars of deltas) {
      stream.message.write(textOf(stream.token, stream.chars + chars).slice(stream.chars));
      stream.chars += chars;
    }
    return stream.message.flushed();
  });
}

async function endStream(s) {
  const { message, token: text, chars } = s.stream;
  const state = s.random(4) === 0 ? "cut-off" : "final";
  const about = { message: message.id, token: text, chars, state };
  s.stream = null;
  await op("stream.end", about, () => (state === "final" ? message.end() : message.cutOff()));
}

async function startCall(s) {
  const text = token(s);
  const about = { call: `c-${text}`, tool: pick(s, ["bash", "read_file", "edit"]), token: text };
  const input = { command: textOf(text, 50) };
  await op("call.start", about, async () => {
    s.calls.push(await s.turn.call({ id: about.call, tool: about.tool, input }));
  });
  s.callTurns.set(about.call, s.turn.id);
  s.seqs.push(s.session.head);
}

async function endCall(s) {
  const call = pick(s, s.calls);
  remove(s.calls, call);
  const isLarge = s.random(8) === 0 || !s.hadLarge;
  s.hadLarge = true;
  const output = textOf(token(s), isLarge ? SPILLED_CHARS : 10 + s.random(2000));
  const status = pick(s, ["done", "done", "failed", "cancelled"]);
  const about = { call: call.id, status, output: sha256(output), isLate: !s.callTurns.has(call.id) };
  const end = { done: "result", failed: "failed", cancelled: "cancelled" }[status];
  await op("call.end", about, () => call[end](output));
}

async function patch(s) {
  const about = { record: pick(s, s.recordIds), token: token(s) };
  const hidden = s.random(6) === 0 ? { hidden_from: ["model"] } : {};
  await op("patch", about, () => s.session.patch(about.record, { seen: about.token, ...hidden }));
}

async function supersede(s) {
  const text = token(s);
  const reason = pick(s, ["retry", "rewind", "compaction", "compaction"]);
  const about = { fromSeq: pick(s, s.seqs), reason };
  const summary = reason === "compaction" ? { summary: textOf(text, 80) } : {};
  await op("supersede", about, async () => ({
    seq: await s.session.supersede(about.fromSeq, reason, summary),
  }));
}

async function decide(s) {
  const about = { key: `k${s.random(5)}`, token: token(s) };
  await op("decide", about, () =>
    s.session.decide(about.key, { chosen: about.token }, { reason: "so it is" }),
  );
}

async function beginOperation(s) {
  const about = { label: token(s) };
  await op("operation.begin", about, async () => {
    const operation = await s.session.operation(about.label, { paths: ["src/**"] });
    s.operations.push(operation);
    return { operation: operation.id };
  });
}

async function endOperation(s) {
  const operation = s.operations.shift();
  const aborted = s.random(3) === 0;
  const about = { operation: operation.id, aborted };
  await op("operation.end", about, () => (aborted ? operation.abort() : operation.end()));
}

async function putContent(s) {
  const isBig = s.random(6) === 0 || !s.hadBig;
  s.hadBig = true;
  const bytes = Buffer.alloc(isBig ? BIG_CONTENT_BYTES : 1 + s.random(60_000), token(s));
  const about = { hash: sha256(bytes), bytes: bytes.length };
  await op("content.put", about, async () => {
    await s.store.raw.putContent(bytes);
  });
  s.contents.push(about.hash);
}

/** As a capture puts what it holds: many chunks in one go, and the content made of them. */
async function putChunks(s) {
  const chunks = Array.from({ length: CHUNKS_IN_ONE_GO }, () => Buffer.alloc(1 + s.random(300), token(s)));
  const whole = Buffer.concat(chunks);
  const about = { hash: sha256(whole), bytes: whole.length };
  const named = chunks.map((bytes) => ({ hash: sha256(bytes), bytes }));
  const content = { ...about, chunks: named.map(({ hash }) => hash) };
  await op("content.put", about, () => s.store.raw.driver.putChunks(named, content, Date.now()));
  s.contents.push(about.hash);
}

async function nameContent(s) {
  const hash = s.contents.shift();
  const about = { hash, id: `n-${token(s)}` };
  const body = { key: "file", value: about.id, reason: null, step: null };
  const record = {
    id: about.id,
    kind: "decided",
    atMs: Date.now(),
    body,
    contents: [{ hash, path: "a/file" }],
  };
  await op("content.name", about, async () => {
    await s.store.raw.append(s.session.id, { attempt: s.session.attempt }, [record]);
  });
}

/** Several at once: they share a commit group, and a kill takes all or none of those in one transaction. */
const many = (s) =>
  Promise.all([
    enqueue(s),
    decide(s),
    decide(s),
    beginOperation(s),
    ...(s.turn ? [addMessage(s), startCall(s)] : []),
  ]);

async function sideSession(s) {
  await op("side.write", { session: "side" }, async () => {
    const side = await s.store.begin({
      id: "side",
      agent: "chaos",
      workspace: "/w",
      goal: `goal ${token(s)}`,
    });
    const turn = await side.turn(textOf(token(s), 100));
    const call = await turn.call({ id: `c-${token(s)}`, tool: "bash", input: { path: "secret/key.pem" } });
    await call.result(textOf(token(s), SPILLED_CHARS));
    await turn.end("completed");
    await side.release();
  });
  s.hasSide = true;
}

async function forgetSide(s) {
  s.hasSide = false;
  await op("forget", { session: "side" }, async () => {
    await s.store.forget({ session: "side", reason: "by the sweep" });
  });
}

async function collect(s) {
  s.contents = [];
  await op("gc", {}, () => s.store.raw.driver.gc(Date.now() + 1));
}

async function backup(s) {
  const path = join(s.config.folder, `backup-${token(s)}.db`);
  await op("backup", { path }, () => s.api.backupStore(s.store.raw, path));
}

/** Every life imports what the lives before it did and some more: a killed import is gone on with. */
async function importSession(s) {
  const records = IMPORTED_PER_LIFE * (s.config.life + 1);
  await op("import", { session: "imported", records }, async () => {
    await s.api.importLines(s.store.raw, importLinesOf("imported", records));
  });
}

async function* importLinesOf(session, records) {
  yield JSON.stringify({ type: "header", schema: "refloat.export/1", store: "elsewhere", redacted: false });
  yield JSON.stringify({ type: "session", id: session, attempt: 1, head: records });
  for (let seq = 1; seq <= records; seq++) {
    const body = { key: `key-${seq}`, value: seq, reason: null, step: null };
    const record = { type: "record", session, seq, id: `r${seq}`, kind: "decided", attempt: 1, at_ms: seq };
    yield JSON.stringify({ ...record, body, contents: [] });
  }
  yield JSON.stringify({ type: "end", sessions: 1, records });
}

const always = () => true;
const inTurn = (s) => s.turn !== null;
const outOfTurn = (s) => s.turn === null;

/** Name, how often, when possible, what. */
export const OPERATIONS = [
  ["enqueue", 8, always, enqueue],
  ["turn.queued", 8, (s) => outOfTurn(s) && s.queue.length > 0, turnOnQueued],
  ["turn.direct", 3, outOfTurn, turnOnText],
  ["turn.continue", 2, outOfTurn, continueTurn],
  ["turn.take", 3, (s) => inTurn(s) && s.queue.length > 0, takeIntoTurn],
  ["turn.cancelFor", 3, (s) => inTurn(s) && s.queue.length > 0, cancelFor],
  ["turn.end", 4, inTurn, endTurn],
  ["message.add", 5, inTurn, addMessage],
  ["stream.open", 5, (s) => inTurn(s) && s.stream === null, openStream],
  ["stream.flush", 5, (s) => s.stream !== null, growStream],
  ["stream.end", 4, (s) => s.stream !== null, endStream],
  ["call.start", 8, inTurn, startCall],
  ["call.end", 8, (s) => s.calls.length > 0, endCall],
  ["patch", 3, (s) => s.recordIds.length > 0, patch],
  ["supersede", 2, (s) => s.seqs.length > 3, supersede],
  ["decide", 3, always, decide],
  ["operation.begin", 2, always, beginOperation],
  ["operation.end", 2, (s) => s.operations.length > 0, endOperation],
  ["content.put", 3, always, putContent],
  ["content.chunks", 1, always, putChunks],
  ["content.name", 3, (s) => s.contents.length > 0, nameContent],
  ["many", 4, always, many],
  ["side.write", 1, always, sideSession],
  ["forget", 1, (s) => s.hasSide, forgetSide],
  ["gc", 1, always, collect],
  ["backup", 1, always, backup],
  ["import", 1, always, importSession],
];

/** The clean end of a life: nothing is left open but what the queue holds. */
export async function endLife(s) {
  if (s.stream) await endStream(s);
  while (s.calls.length > 0) await endCall(s);
  while (s.operations.length > 0) await endOperation(s);
  if (s.turn) await endTurn(s);
  await op("release", {}, () => s.session.release());
  await op("close", {}, () => s.store.close());
}
