/** After its end a session's handle writes nothing any more; what a handle is asked for and does not know is said by name. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { RefloatError } from "../model/errors.ts";
import type { Liveness } from "../model/owner.ts";
import { openRawStore } from "../store/open-raw-store.ts";
import type { Store } from "../store/store.ts";
import { type BeginOptions, beginSession } from "./begin.ts";
import type { ExportFormat } from "./export/export-as.ts";
import type { Session } from "./session.ts";

const OPTIONS: BeginOptions = {
  id: "s",
  agent: "a",
  workspace: "/w",
  takeCapture: async () => ({ id: "c", seq: 1, partial: false }),
};
const DEAD = { liveness: (): Liveness => ({ kind: "dead", because: "no-such-process" }) };

async function opened(): Promise<Store> {
  const store = await openRawStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  return store;
}

const WRITES: Record<string, (session: Session) => Promise<unknown>> = {
  enqueue: (session) => session.enqueue("late"),
  turn: (session) => session.turn("late"),
  continueTurn: (session) => session.continueTurn(),
  patch: (session) => session.patch("x", {}),
  supersede: (session) => session.supersede(1, "rewind"),
  operation: (session) => session.operation("late"),
  decide: (session) => session.decide("late", 1),
  capture: (session) => session.capture("late"),
  finish: (session) => session.finish(),
  release: (session) => session.release(),
};

test.each(["finish", "release"] as const)(
  "after %s every write throws E_CLOSED or E_FENCED, and the journal has grown by none of them (K1)",
  async (end) => {
    const store = await opened();
    const session = await beginSession(store, OPTIONS);
    await session.enqueue("in time");
    await session[end]();
    const head = (await store.session(session.id as never))?.head;
    for (const [name, write] of Object.entries(WRITES)) {
      const code = await write(session).then(
        () => null,
        (thrown) => (thrown instanceof RefloatError ? thrown.code : thrown),
      );
      expect(["E_CLOSED", "E_FENCED"], name).toContain(code);
    }
    expect((await store.session(session.id as never))?.head).toBe(head);
  },
);

test("a handle whose session was taken over can still queue an input, which the new owner finds; it can write nothing else (C1, K1)", async () => {
  const store = await opened();
  const old = await beginSession(store, OPTIONS);
  const next = await beginSession(store, { ...OPTIONS, ...DEAD });
  await old.enqueue("for whoever has it now");
  expect((await next.queue()).map(({ parts }) => parts)).toEqual([
    [{ type: "text", text: "for whoever has it now" }],
  ]);
  await expect(old.decide("late", 1)).rejects.toMatchObject({ code: "E_FENCED" });
  await next.finish();
});

test("an export in a format nobody knows is refused by name with those there are; the known ones are given", async () => {
  const session = await beginSession(await opened(), OPTIONS);
  for (const format of ["bogus", "toString", undefined])
    expect(() => session.export(format as ExportFormat)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", hint: expect.stringContaining("openai-chat") }),
    );
  for (const format of ["anthropic", "openai-chat", "openai-responses"] as const)
    expect(session.export(format)).toBeTypeOf("object");
  await session.finish();
});
