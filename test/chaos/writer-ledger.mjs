// The writer's side of the ledger: one JSON line per fact, on a descriptor of its own that the parent reads.
// A line is in the kernel when `say` returns, so what the writer said before a SIGKILL is what the parent
// reads after it. Two levels are told apart: `put`/`done` around every change handed to the store, and
// `intent`/`ack` around every call of the library.
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";

const LEDGER_FD = 3;
let puts = 0;
let intents = 0;

export function say(line) {
  writeSync(LEDGER_FD, `${JSON.stringify(line)}\n`);
}

export const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const hashOfBody = (body) => sha256(JSON.stringify(body));

/** One call of the library: says what is meant before it, and what came of it after its promise resolved. */
export async function op(name, about, work) {
  const n = ++intents;
  say({ k: "intent", n, op: name, about });
  try {
    const got = (await work()) ?? null;
    say({ k: "ack", n, got });
    return got;
  } catch (thrown) {
    say({ k: "failed", n, code: thrown.code ?? null, message: String(thrown.message ?? thrown) });
    throw thrown;
  }
}

/** Puts the ledger between the library and the store: every record is named before it is handed over. */
export function tapStore(raw) {
  const around = async (session, how, records, work) => {
    const p = ++puts;
    const named = records.map(({ id, kind, body }) => [id, kind, hashOfBody(body)]);
    say({ k: "put", p, session, how, records: named });
    const outcome = await work();
    if (outcome.kind === "refused") say({ k: "refused", p, why: outcome.refusal.kind });
    else say({ k: "done", p, seqs: outcome.seqs, repeat: outcome.isRepeat });
    return outcome;
  };
  const { append, take, release, commitChange } = raw;
  raw.append = (session, by, records, options) =>
    around(session, "append", records, () => append.call(raw, session, by, records, options));
  raw.take = (change) => around(change.session, "take", change.records, () => take.call(raw, change));
  raw.release = (session, attempt, records) =>
    around(session, "release", records, () => release.call(raw, session, attempt, records));
  raw.commitChange = (change) =>
    around(change.session, "import", change.records.map(parsed), () => commitChange.call(raw, change));
  tapForget(raw.driver);
}

/** `forget` writes its own record: what it is about to erase is said too. */
function tapForget(driver) {
  const { forget } = driver;
  driver.forget = async (change) => {
    const p = ++puts;
    const { id, kind, body } = change.note;
    const erases = change.records.map(({ seq }) => seq);
    const records = [[id, kind, hashOfBody(JSON.parse(body))]];
    say({ k: "put", p, session: change.session, how: "forget", erases, records });
    const result = await forget.call(driver, change);
    say({ k: "done", p, seqs: null, repeat: false });
    return result;
  };
}

const parsed = ({ id, kind, body }) => ({ id, kind, body: JSON.parse(body) });

/**
 * The deliberate break of D1 for the sweep's own test: an append is acknowledged before it is committed. The
 * numbers it hands out are the ones the store will give, so that nothing but the missing record betrays it.
 */
export function acknowledgeEarly(raw, session) {
  const { append } = raw;
  let tail = Promise.resolve();
  let next = 0;
  raw.append = async (...args) => {
    if (args[0] !== session) return append.apply(raw, args);
    const head = next || ((await raw.session(session))?.head ?? 0);
    const seqs = args[2].map((_, i) => head + 1 + i);
    next = seqs.at(-1) ?? head;
    tail = tail.then(() => append.apply(raw, args)).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    return { kind: "done", seqs, head: next, attempt: args[1].attempt ?? 0, isRepeat: false };
  };
}
