/**
 * The second origin (001): a conversation that is durable in the middle of a turn. Rows of docs/origins.md, on every
 * store; the writer is another process and dies by SIGKILL.
 */
import { describe, expect, test } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import type { Session } from "../../src/conversation/session.ts";
import { journalOf } from "../chaos/check-records.ts";
import { checkExports } from "../chaos/check-survivor.ts";
import { killedAt, killedWhenSaid, opened, type Place } from "../scenarios/child.ts";
import { STORES } from "../support/both-stores.ts";

const WHO = { id: "s1", agent: "goose", workspace: "/w" };
const BEGIN = `const session = await store.begin({ id: "s1", agent: "goose", workspace: "/w" });`;
const DEAD = { liveness: () => ({ kind: "dead", because: "no-such-process" }) as const };
const BATCH = 500;

const textOf = (session: Session, audience: "model" | "people" = "model") =>
  JSON.stringify(session.view(audience));

async function survivor(place: Place): Promise<{ store: RefloatStore; session: Session }> {
  const store = await opened(place);
  return { store, session: await store.begin(WHO) };
}

describe.each(STORES)("on %s", (_, fresh) => {
  test("origin 001.1, 001.2, 001.6: what a turn had said and done when it was interrupted is there when the next one loads, with no step that saves it (D1, C2)", async () => {
    const place = fresh();
    await killedWhenSaid(
      place,
      `${BEGIN}
      const turn = await session.turn("look around");
      await turn.append({ role: "assistant", parts: "I list the files." });
      await (await turn.call({ id: "ls", tool: "bash", input: "ls" })).result("a b c");
      await turn.append({ role: "assistant", parts: "There are three." });
      say("now");
      await forever();`,
    );
    const { session } = await survivor(place);
    const items = session.view("model").items;
    expect(items.map((item) => (item.kind === "call" ? item.result?.output : item.parts[0]?.text))).toEqual([
      "look around",
      "I list the files.",
      "a b c",
      "There are three.",
    ]);
    expect(session.recovered).toMatchObject({ turns: [expect.any(String)], calls: [], messages: [] });
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "origin 001.3, 001.13: interrupted by %s in a call, nothing acknowledged is lost and every provider takes the conversation (D1, C4, C6)",
    async (signal) => {
      const place = fresh();
      await killedWhenSaid(
        place,
        `${BEGIN}
        const turn = await session.turn("go");
        await turn.call({ id: "open", tool: "bash", input: "make" });
        process.kill(process.pid, "${signal}");
        setTimeout(() => say("now"), 200);
        await forever();`,
        signal,
      );
      const { session } = await survivor(place);
      expect(session.recovered?.calls).toEqual(["open"]);
      expect(checkExports(session, "history")).toEqual([]);
    },
  );

  test("origin 001.7, 001.9, 001.10, 001.16: a process with an older copy cannot write it back: hidden messages stay hidden from the model (K1, C5)", async () => {
    const store = await opened(fresh());
    const stale = await store.begin({ ...WHO, ...DEAD });
    const turn = await stale.turn("a secret");
    const { id } = await turn.append({ role: "assistant", parts: "it is swordfish" });
    await turn.end("completed");
    const { head } = stale;
    const other = await store.begin({ ...WHO, ...DEAD });
    await other.patch(id, { hidden_from: ["model"] });
    const late = [
      () => stale.patch(id, { hidden_from: [] }),
      () => stale.supersede(1, "compaction", { summary: "swordfish" }),
      () => stale.turn("again"),
      () => stale.enqueue("swordfish").then(() => stale.turn("again")),
      () => stale.decide("word", "swordfish"),
      () => stale.finish(),
    ];
    for (const write of late) await expect(write()).rejects.toMatchObject({ code: "E_FENCED" });
    await expect(other.supersede(1, "compaction", { expectHead: head })).rejects.toMatchObject({
      code: "E_HEAD_MOVED",
    });
    expect(JSON.stringify(other.export("anthropic"))).not.toContain("it is swordfish");
    expect(textOf(other, "people")).toContain("it is swordfish");
  });

  test("origin 001.8: a change of metadata alone is a record: who follows the journal sees it (C5, D3)", async () => {
    const store = await opened(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("hello");
    const { id } = await turn.append({ role: "assistant", parts: "hi" });
    const { head } = session;
    const controller = new AbortController();
    const followed = store.follow("s1", head, controller.signal);
    await session.patch(id, { starred: true });
    for await (const { seq, kind } of followed) {
      if (seq <= head) continue;
      expect(kind).toContain("patch");
      controller.abort();
      break;
    }
    expect(controller.signal.aborted).toBe(true);
  });

  test("origin 001.11: hiding one half of a tool's pair leaves exports that every provider takes (C6)", async () => {
    const store = await opened(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("count");
    const call = await turn.call({ id: "count", tool: "bash", input: "ls | wc -l" });
    await call.result("17");
    await turn.append({ role: "assistant", parts: "17." });
    await turn.end("completed");
    const records = await journalOf(store.raw, "s1");
    for (const kind of ["call.started", "call.ended"]) {
      const record = records.find((one) => one.kind === kind);
      await session.patch(record?.id ?? "", { hidden_from: ["model"] });
      expect(checkExports(session, "history")).toEqual([]);
    }
  });

  test("origin 001.14: every message is on disk when its promise resolves, not at the end of the loop (D1)", async () => {
    const place = fresh();
    const said = await killedWhenSaid(
      place,
      `${BEGIN}
      const turn = await session.turn("go");
      for (let i = 0; i < 20; i++) { await turn.append({ role: "assistant", parts: "step " + i }); say("step " + i); }
      say("now");
      await forever();`,
    );
    const { session } = await survivor(place);
    for (const line of said.filter((one) => one.startsWith("step"))) {
      expect(textOf(session)).toContain(`"${line}"`);
    }
  });

  test("origin 001.17, 001.18: a retry hides what failed and deletes nothing: the failed answer is still there for people (D2)", async () => {
    const store = await opened(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("answer");
    const from = session.head + 1;
    await turn.append({ role: "assistant", parts: "a wrong answer" });
    const before = (await journalOf(store.raw, "s1")).map(({ id }) => id);
    await session.supersede(from, "retry");
    await turn.append({ role: "assistant", parts: "a right answer" });
    await turn.end("completed");
    const after = (await journalOf(store.raw, "s1")).map(({ id }) => id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(textOf(session)).not.toContain("a wrong answer");
    expect(textOf(session, "people")).toContain("a wrong answer");
    expect(textOf(session)).toContain("a right answer");
  });

  test.each(["append.before-begin#4", "append.after-commit#4"])(
    "origin 001.19: a compaction killed at %s happened whole or not at all (D2)",
    async (point) => {
      const place = fresh();
      await killedAt(
        place,
        point,
        `${BEGIN}
        const turn = await session.turn("a long story");
        await turn.append({ role: "assistant", parts: "the long answer" });
        await session.supersede(1, "compaction", { summary: "the short answer" });
        await forever();`,
      );
      const { session } = await survivor(place);
      const text = textOf(session);
      expect([text.includes("the long answer"), text.includes("the short answer")].sort()).toEqual([
        false,
        true,
      ]);
      expect(text.includes("the short answer")).toBe(point.includes("after"));
      expect(checkExports(session, "history")).toEqual([]);
    },
  );

  test("origin 001.23, 001.24: a call without a result is answered, not stripped: its outcome is unknown and the model is told (C4)", async () => {
    const place = fresh();
    await killedWhenSaid(
      place,
      `${BEGIN}
      const turn = await session.turn("restart it");
      await turn.call({ id: "restart", tool: "bash", input: "systemctl restart x" });
      say("now");
      await forever();`,
    );
    const { session } = await survivor(place);
    const [call] = session.view("model").items.filter((item) => item.kind === "call");
    expect(call).toMatchObject({ id: "restart", result: { status: "unknown-outcome", isSynthetic: true } });
    expect(JSON.stringify(session.export("openai-chat"))).toContain("It may have run");
    expect(checkExports(session, "history")).toEqual([]);
  });

  test("origin 001.27: a write that fails is the caller's error; nothing is logged and passed over (D6, T1)", async () => {
    const store = await opened(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("go");
    const { driver } = store.raw;
    const { commit } = driver;
    driver.commit = () => Promise.reject(new Error("the disk is gone"));
    await expect(turn.append({ role: "assistant", parts: "unsaved" })).rejects.toThrow("the disk is gone");
    driver.commit = commit;
    await turn.append({ role: "assistant", parts: "saved" });
    expect(textOf(session)).not.toContain("unsaved");
    expect(textOf(session)).toContain("saved");
  });

  test(`origin 001.12: ${BATCH} metadata changes beside a writer lose none: each is a record, none replaces another (D2, D3)`, async () => {
    const store = await opened(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("go");
    const { id } = await turn.append({ role: "assistant", parts: "a" });
    const marks = Array.from({ length: BATCH }, (_, i) => session.patch(id, { [`mark-${i}`]: i }));
    const message = turn.append({ role: "assistant", parts: "b" });
    await Promise.all([...marks, message]);
    const patched = (await journalOf(store.raw, "s1")).filter(({ kind }) => kind.includes("patch"));
    expect(patched).toHaveLength(BATCH);
  });
});
