/**
 * Any interleaving of writes, crashes and recoveries gives views that every provider accepts (C6), keeps what
 * was acknowledged, and leaves nothing of a dead owner open (C4, C8). A crash here drops the handle without a
 * word; the next owner is told that the one before it is dead, and the dead one's late writes are refused (K1).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { Call } from "../../src/conversation/call.ts";
import type { MessageStream } from "../../src/conversation/message-stream.ts";
import type { Session } from "../../src/conversation/session.ts";
import type { Turn } from "../../src/conversation/turn.ts";
import { loadWindow, viewOf } from "../../src/conversation/view.ts";
import { RefloatError } from "../../src/model/errors.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { DEFAULT_WINDOW_MESSAGES } from "../../src/model/limits.ts";
import type { Part, PartInput } from "../../src/model/parts.ts";
import fc from "../support/fast-check.ts";
import { isFull, seed } from "../support/seed.ts";
import { journalOf } from "./check-records.ts";
import { checkExports } from "./check-survivor.ts";
import { report } from "./sweep.ts";

let store: RefloatStore;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "refloat-property-"));
  store = await openStore(join(folder, "refloat.db"), { thread: false });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Life {
  session: Session;
  turn: Turn | null;
  stream: MessageStream | null;
  calls: Call[];
  ghosts: Session[];
  /** Ids of records that may be patched. */
  records: string[];
}

type Step = { readonly name: string; run(life: Life): Promise<void> };

async function begin(id: string): Promise<Session> {
  return store.begin({
    id,
    agent: "property",
    workspace: "/w",
    lift: "dying is what it is for", // L2
    liveness: () => ({ kind: "dead", because: "no-such-process" }),
  });
}

const text = fc.oneof(
  fc.constant("a plain text"),
  fc.string({ unit: "binary", maxLength: 30 }).filter((value) => value.length > 0),
  fc.constant("cut in half \ud83d"),
  fc.constant("   "),
);

const part: fc.Arbitrary<PartInput> = fc.oneof(
  { weight: 6, arbitrary: text.map((value) => ({ type: "text", text: value })) },
  fc
    .record({ type: fc.constant("thinking"), text, signature: fc.constantFrom("sig", undefined) })
    .map(withoutUndefined),
  fc.constant({ type: "media", media_type: "image/png", data: "iVBORw0KGgo=" }),
  fc.constant({ type: "media", media_type: "application/x-unknown", content: "0".repeat(64) }),
  fc.constant({ type: "something-new", field: 1 }),
);

function withoutUndefined(value: object): Part {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Part;
}

const parts = fc.array(part, { minLength: 1, maxLength: 3 });
const json = fc.oneof(
  text,
  fc.constant(null),
  fc.constant({ a: [1, { b: "c" }] }),
  fc.constant("x".repeat(2000)),
);
const step = <T>(name: string, given: fc.Arbitrary<T>, run: (life: Life, value: T) => Promise<void>) =>
  given.map((value): Step => ({ name: `${name} ${JSON.stringify(value)}`, run: (life) => run(life, value) }));

/** What crashes found open, in all runs: a property that never met any would prove nothing. */
const settled = { calls: 0, messages: 0 };

/** A message lives in its turn: what is written after the turn's end is refused (C3). */
function takesNoMore(life: Life): void {
  const { stream } = life;
  life.stream = null;
  if (stream) expect(() => stream.write("late")).toThrow(expect.objectContaining({ code: "E_NOT_OPEN" }));
}

const nothing = fc.constant(null);
const anywhere = fc.double({ min: 0, max: 1, noNaN: true });
const at = (where: number, head: number): number => 1 + Math.floor(where * Math.max(0, head - 1));

const steps: fc.Arbitrary<Step> = fc.oneof(
  step("enqueue", parts, async ({ session }, value) => void (await session.enqueue(value))),
  step("turn", parts, async (life, value) => {
    if (!life.session.openTurn) life.turn = await life.session.turn(value);
  }),
  step("turn on queued", nothing, async (life) => {
    const [first] = await life.session.queue();
    if (first && !life.session.openTurn) life.turn = await life.session.turn(first);
  }),
  step("continue", nothing, async (life) => {
    if (!life.session.openTurn) life.turn = await life.session.continueTurn();
  }),
  step("take", nothing, async ({ session, turn }) => {
    const [first] = await session.queue();
    if (first && turn) await turn.take(first);
  }),
  step("cancel for", nothing, async (life) => {
    const [first] = await life.session.queue();
    if (!first || !life.turn) return;
    life.turn = await life.turn.cancelFor(first);
    takesNoMore(life);
  }),
  step("end turn", fc.constantFrom("completed", "failed", "cancelled"), async (life, outcome) => {
    await life.turn?.end(outcome as "completed");
    if (life.turn) takesNoMore(life);
    life.turn = null;
  }),
  step(
    "append",
    fc.record({ role: fc.constantFrom("system", "user", "assistant"), parts }),
    async (life, message) => {
      const added = await life.turn?.append(message as { role: "user"; parts: Part[] });
      if (added) life.records.push(added.id);
    },
  ),
  step("stream", parts, async (life, deltas) => {
    life.stream ??= life.turn?.message("assistant") ?? null;
    for (const delta of deltas) life.stream?.write(delta);
    await life.stream?.flushed();
  }),
  step("end stream", fc.boolean(), async (life, isCut) => {
    const { stream } = life;
    life.stream = null;
    await (isCut ? stream?.cutOff() : stream?.end());
  }),
  step(
    "call",
    fc.record({ tool: fc.constantFrom("bash", "read_file", "mcp/odd name!"), input: json }),
    async (life, call) => {
      const begun = await life.turn?.call(call);
      if (begun) life.calls.push(begun);
    },
  ),
  step(
    "result",
    fc.record({ output: json, where: anywhere, how: fc.constantFrom("result", "failed", "cancelled") }),
    async (life, { output, where, how }) => {
      const [call] = life.calls.splice(Math.floor(where * life.calls.length), 1);
      if (how === "cancelled") await call?.cancelled();
      else await call?.[how as "result"](output);
    },
  ),
  step(
    "patch",
    fc.record({ where: anywhere, from: fc.constantFrom("model", "people", "nobody") }),
    async (life, { where, from }) => {
      const record = life.records[Math.floor(where * life.records.length)];
      if (record) await life.session.patch(record, { hidden_from: [from] });
    },
  ),
  step(
    "supersede",
    fc.record({
      from: anywhere,
      to: fc.option(anywhere),
      reason: fc.constantFrom("retry", "rewind", "compaction"),
      summary: fc.option(parts),
    }),
    async ({ session }, { from, to, reason, summary }) => {
      const options = {
        ...(to === null ? {} : { toSeq: at(to, session.head) }),
        ...(summary ? { summary } : {}),
      };
      await session.supersede(at(from, session.head), reason as "retry", options);
    },
  ),
  step("crash", nothing, async (life) => {
    await expectSameRead(life.session);
    life.ghosts.push(life.session);
    const open = (await store.raw.open(life.session.id as SessionId)).filter(
      ({ what }) => what === "call",
    ).length;
    const next = await begin(life.session.id);
    expect(next.attempt).toBe(life.session.attempt + 1);
    expect(next.recovered?.calls.length ?? 0).toBe(open);
    settled.calls += open;
    settled.messages += next.recovered?.messages.length ?? 0;
    Object.assign(life, { session: next, turn: null, stream: null, calls: [] });
  }),
  step("ghost", anywhere, async ({ ghosts }, where) => {
    const ghost = ghosts[Math.floor(where * ghosts.length)];
    const code = await ghost?.decide("late", "write").then(
      () => "accepted",
      (thrown: unknown) => (thrown instanceof RefloatError ? thrown.code : String(thrown)),
    );
    expect(code ?? "E_FENCED").toBe("E_FENCED");
  }),
);

test(
  "after any writes, crashes and recoveries every provider accepts the view, at every step, and a last recovery leaves nothing open (C4, C6, C8, K1)",
  async () => {
    let runs = 0;
    const options = { numRuns: isFull ? 5000 : 300, seed };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 40, size: "max" }), async (all) => {
        const life = {
          session: await begin(`run-${++runs}`),
          turn: null,
          stream: null,
          calls: [],
          ghosts: [],
          records: [],
        };
        for (const one of all) {
          await one.run(life);
          expectAccepted(life.session);
        }
        await expectSettledByNext(life.session);
      }),
      options,
    );
    const { calls, messages } = settled;
    report("Crashes in any interleaving", [
      `  ${runs} runs; settled ${calls} calls and ${messages} messages`,
    ]);
    expect(Math.min(calls, messages)).toBeGreaterThan(0);
  },
  30 * 60_000,
);

/** The view kept up record by record is the view read anew (C5). */
async function expectSameRead(session: Session): Promise<void> {
  const { fold } = await loadWindow(
    store.raw,
    session.id as SessionId,
    session.head,
    DEFAULT_WINDOW_MESSAGES,
  );
  for (const audience of ["model", "people"] as const)
    expect(viewOf(fold, audience)).toEqual(session.view(audience));
}

function expectAccepted(session: Session): void {
  expect(checkExports(session, "history")).toEqual([]);
  const { items } = session.view("model");
  const isAsked = items.some((item) => item.kind === "call" || item.role !== "system");
  if (session.openTurn && isAsked) expect(checkExports(session, "request")).toEqual([]);
}

async function expectSettledByNext({ id, attempt }: Session): Promise<void> {
  const next = await begin(id);
  expect(next.attempt).toBe(attempt + 1);
  const open = await store.raw.open(id as SessionId);
  expect(open.filter(({ what }) => what !== "input" && what !== "operation")).toEqual([]);
  const records = await journalOf(store.raw, id);
  const ended = records.filter(({ kind }) => kind === "call.ended").map(({ body }) => body.call);
  expect(new Set(ended).size).toBe(ended.length);
  expect(ended.length).toBe(records.filter(({ kind }) => kind === "call.started").length);
  expectAccepted(next);
  await next.release();
}
