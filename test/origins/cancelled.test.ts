/** The first origin (001): what a cancelled turn leaves behind, and what may still be written into it. */
import { expect, test } from "vitest";
import type { Session } from "../../src/conversation/session.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { checkExports } from "../chaos/check-survivor.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

const WHO = { id: "s1", agent: "goose", workspace: "/w" };
const S = "s1" as SessionId;
const FORMATS = ["anthropic", "openai-chat", "openai-responses"] as const;

const toldOf = (session: Session): string[] =>
  FORMATS.map((format) => JSON.stringify(session.export(format)));

describeOnBoth((fresh) => {
  test("origin 001.15: after a turn was cancelled and the next one begun, its stream changes no text that the model has read, by no way (C3, C5)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("tell me a story");
    const message = turn.message("assistant");
    message.write("once upon ");
    await message.flushed();
    message.write("a time");
    await turn.end("cancelled", "the user pressed escape");
    const next = await session.turn("never mind, what is 2 + 2?");
    const [read] = toldOf(session);
    expect(read).toContain("once upon a time");

    expect(() => message.write(" there was")).toThrow(expect.objectContaining({ code: "E_NOT_OPEN" }));
    await expect(message.flushed()).rejects.toMatchObject({ code: "E_NOT_OPEN" });
    await expect(message.end()).rejects.toMatchObject({ code: "E_NOT_OPEN" });
    await message.cutOff(); // it is: nothing to complain about
    await expect(turn.append({ role: "assistant", parts: "late" })).rejects.toMatchObject({
      code: "E_NOT_OPEN",
    });
    await session.refresh();
    expect(toldOf(session)[0]).toBe(read);
    expect(session.view("people").items[1]).toMatchObject({
      state: "cut-off",
      parts: [{ type: "text", text: "once upon a time" }],
    });
    await next.end("completed");
    expect(await store.raw.open(S)).toEqual([]);
  });

  test("origin 001.15: the store itself refuses what grows a message of a turn that is over, in the same transaction, though the message is open (K1, C3)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const by = { attempt: session.attempt };
    const { raw } = store;
    const record = (kind: Parameters<typeof newRecord>[1], body: object) =>
      newRecord(raw.clock, kind, body as never);
    await raw.append(S, by, [
      record("turn.began", { turn: "t1", parts: null, input: null }),
      record("message.opened", { message: "m1", turn: "t1", role: "assistant" }),
      record("turn.ended", { turn: "t1", outcome: "cancelled", reason: null }),
      record("turn.began", { turn: "t2", parts: null, input: null }),
    ]);
    const text = [{ type: "text", text: "late" }];
    const late = [
      record("message.grew", { message: "m1", turn: "t1", parts: text }),
      record("message.ended", { message: "m1", turn: "t1", state: "final", parts: text }),
    ];
    for (const one of late)
      await expect(raw.append(S, by, [one])).rejects.toMatchObject({
        code: "E_NOT_OPEN",
        message: expect.stringContaining("turn t1"),
      });
    // All of one change or none: what comes with it is not written either (driver 2).
    await expect(
      raw.append(S, by, [record("decided", { key: "k", value: 1, reason: null, step: null }), ...late]),
    ).rejects.toMatchObject({ code: "E_NOT_OPEN" });
    expect((await raw.session(S))?.head).toBe(6);
    // Whoever tidies up after a writer that is gone may still cut it off.
    await raw.append(S, by, [record("message.ended", { message: "m1", state: "cut-off", parts: [] })]);
  });

  test("origin 001.15: a race of a stream's flushes and its turn's end leaves one message, cut off, and nothing open, fifty times out of fifty (C3)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    for (let round = 0; round < 50; round++) {
      const turn = await session.turn(`round ${round}`);
      const message = turn.message("assistant");
      message.write("one ");
      if (round % 2 === 0) void message.flushed().catch(() => undefined);
      if (round % 3 === 0) await new Promise(setImmediate);
      const ending = turn.end("cancelled");
      expect(() => message.write("two")).toThrow(expect.objectContaining({ code: "E_NOT_OPEN" }));
      await ending;
      const last = session.view("people").items.at(-1);
      expect(last).toMatchObject({ state: "cut-off", parts: [{ type: "text", text: "one " }] });
    }
    expect(await store.raw.open(S)).toEqual([]);
  });

  test("a message whose end is under way when its turn ends is whole, not cut off and not lost (C3, T1)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("go");
    const message = turn.message("assistant");
    message.write("whole");
    await Promise.all([message.end(), turn.end("completed")]);
    expect(session.view("people").items.at(-1)).toMatchObject({
      state: "final",
      parts: [{ type: "text", text: "whole" }],
    });
    expect(await store.raw.open(S)).toEqual([]);
  });

  test("origin 001.25: cancelled between a tool's request and its response, the request has its response in the same step, and the model is told that the person stopped it, not that the session ended (C4, C6)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("restart the service");
    await turn.call({ id: "c1", tool: "bash", input: { command: "systemctl restart x" } });
    await turn.end("cancelled", "the user pressed escape");
    expect(await store.raw.open(S)).toEqual([]);
    const next = await session.turn("what happened?");
    for (const told of toldOf(session)) {
      expect(told).toContain("the person stopped this turn");
      expect(told).toContain("inspect the state");
      expect(told).not.toContain("session ended");
    }
    expect(checkExports(session, "request")).toEqual([]);
    const [call] = session.view("people").items.filter((item) => item.kind === "call");
    expect(call?.result).toMatchObject({
      status: "unknown-outcome",
      isSynthetic: true,
      output: expect.stringContaining("The person stopped this"),
    });
    await next.end("completed");
    // The next owner is told the same, and finds nothing to recover.
    await session.release();
    const again = await store.begin(WHO);
    expect(again.recovered).toBeNull();
    expect(toldOf(again).every((told) => told.includes("the person stopped this turn"))).toBe(true);
    expect((await store.raw.session(S))?.facts.dirty_ends).toBe(0);
  });

  test("origin 001.25: cancelled while the model thinks, speaks or has just heard a result, the next request says that the person stopped the turn, once, at the same place in every later request (C5, R4)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const silent = await session.turn("one");
    await silent.end("cancelled");
    const speaking = await session.turn("two");
    speaking.message("assistant").write("I would ");
    await speaking.end("cancelled");
    const working = await session.turn("three");
    await (await working.call({ tool: "ls", input: {} })).result("a b");
    await working.end("cancelled");
    const now = await session.turn("four");
    const request = session.export("anthropic");
    const count = JSON.stringify(request).split("The person stopped this turn here").length - 1;
    expect(count).toBe(3);
    expect(checkExports(session, "request")).toEqual([]);
    await now.append({ role: "assistant", parts: "Four." });
    await now.end("completed");
    await session.turn("five");
    const later = session.export("anthropic");
    const first = request.messages.slice(0, -1);
    expect(later.messages.slice(0, first.length)).toEqual(first);
  });

  test("origin 001.25: stopped while it speaks and its call runs, the model is never told to go on with that, and what it has read stays as it was (R4)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("deploy");
    const message = turn.message("assistant");
    message.write("I deploy it");
    await message.flushed();
    await (await turn.call({ tool: "ls", input: {} })).result("a b");
    await turn.call({ tool: "deploy", input: {} });
    const read = session.export("anthropic").messages.slice(0, 3);
    await session.stop("the user pressed escape");
    await session.turn("what happened?");
    for (const told of toldOf(session)) expect(told).not.toContain("Go on from");
    expect(session.export("anthropic").messages.slice(0, 3)).toEqual(read);
    expect(checkExports(session, "request")).toEqual([]);
  });

  test("origin 001.26: a tool that reports after its turn was cancelled is heard: what it says is on disk beside the call, and changes nothing the model has read (T1, C5)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("deploy");
    const call = await turn.call({ id: "c1", tool: "deploy", input: {} });
    await turn.end("cancelled", "stopped");
    await session.turn("and now?");
    const [read] = toldOf(session);
    await call.result("deployed");
    await call.result("deployed"); // the same again changes nothing (D4)
    const over = { code: "E_NOT_OPEN", message: expect.stringContaining("call c1") };
    await expect(call.failed("no")).rejects.toMatchObject(over);
    expect(toldOf(session)[0]).toBe(read);
    const item = session.view("people").items.find(({ kind }) => kind === "call");
    expect(item?.metadata).toEqual({ late: { status: "done", output: "deployed" } });
    // A tool that begins only now is refused.
    await expect(turn.call({ tool: "deploy", input: {} })).rejects.toMatchObject({ code: "E_NOT_OPEN" });
  });

  test("what has ended otherwise is not open, whatever is said of it then: a turn, a call, an operation (T1)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("go");
    const call = await turn.call({ id: "c1", tool: "ls", input: {} });
    await call.result("a");
    const operation = await session.operation("move");
    await operation.abort();
    await turn.end("cancelled");
    await turn.end("cancelled"); // the same again changes nothing (D4)
    const next = await session.enqueue("next");
    const head = session.head;
    for (const late of [
      () => call.failed("no"),
      () => operation.end(),
      () => turn.end("completed"),
      () => turn.cancelFor(next),
    ])
      await expect(late()).rejects.toMatchObject({ code: "E_NOT_OPEN" });
    expect((await store.raw.session(S))?.head).toBe(head);
  });

  test("origin 001.20: an error or a lost connection is no cancel: only who says so cancels a turn, and a failed one leaves its open call to be told as unknown (C8)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("go");
    await turn.call({ id: "c1", tool: "bash", input: {} });
    await turn.end("failed", "ECONNRESET");
    await session.turn("again");
    for (const told of toldOf(session)) {
      expect(told).toContain("Outcome unknown: the session ended");
      expect(told).not.toContain("person stopped");
    }
    expect(session.view("people").stoppedTurns).toEqual([]);
  });

  test("origin 001.21: three turns cancelled on purpose in the same call are no dirty ends, whatever becomes of the process then (L2)", async () => {
    const store = await openedHere(fresh());
    const dead = { liveness: () => ({ kind: "dead", because: "no-such-process" }) as const };
    for (let i = 0; i < 4; i++) {
      const session = await store.begin({ ...WHO, ...dead });
      expect(session.recovered).toBeNull();
      const turn = await session.turn("deploy");
      await turn.call({ tool: "deploy", input: {} });
      await turn.end("cancelled", "Ctrl-C");
      // and the process dies without a word
    }
    const row = await store.raw.session(S);
    expect([row?.facts.dirty_ends, row?.facts.suspended]).toEqual([0, null]);
  });
});
