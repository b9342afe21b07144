/** `refloat acp` between the SDK's client and a scripted agent: what is recorded, what passes unchanged, and how it goes on after a kill. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { keptNotice, noticeFileOf } from "../../src/agents/inbox/notice-file.ts";
import { errnoOf } from "../../src/platform/io-error.ts";
import { claudeEvents } from "../hooks/hooked-place.ts";
import { callHook, hookedHome } from "../hooks/recorder.ts";
import { ended, type JsonObject, type Place } from "../support/cli.ts";
import { scene } from "../support/two-faces.ts";
import { AGENT, type Editor, editorAt, loadSession, newSession } from "./acp-client.ts";

const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");

async function sessionsOf(place: Place): Promise<JsonObject[]> {
  return (await place.json(["sessions"])).json.sessions;
}

async function recordsOf(place: Place, session: string): Promise<JsonObject[]> {
  return place.withStore(async (store) => [...(await store.raw.records({ session: session as never }))]);
}

const bodies = (records: readonly JsonObject[], kind: string): JsonObject[] =>
  records.filter((one) => one.kind === kind).map(({ body }) => body);

const textsOf = (records: readonly JsonObject[]): string[] =>
  bodies(records, "message.added").map(({ parts }) => parts.map(({ text }: JsonObject) => text).join(""));

/** Until the agent is in its slow tool. */
async function hanging(editor: Editor, place: Place, sessionId: string): Promise<string> {
  editor.prompt(sessionId, "hang").catch(() => undefined);
  for (;;) {
    const [row] = await sessionsOf(place);
    const calls = row ? bodies(await recordsOf(place, row.id), "call.started") : [];
    if (calls.some(({ tool }) => tool === "sleep")) return String(row?.id);
  }
}

const agentOf = async (place: Place, session: string): Promise<number> =>
  bodies(await recordsOf(place, session), "agent.started").at(-1)?.pid;

function endIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (thrown) {
    if (errnoOf(thrown) !== "ESRCH") throw thrown;
  }
}

describe("an agent behind `refloat acp`", { timeout: 240_000 }, () => {
  it("C1, C2, L7: prompts, answers, calls, permits, plans and written files are recorded, and its own end record ends the turn", async () => {
    const { place, repo } = scene();
    repo.write("note.md", "An old note.\n");
    repo.commit("base");
    const editor = await editorAt(place);
    const id = await newSession(editor, place);
    expect(await editor.prompt(id, "edit note.md")).toBe("end_turn");
    expect((await editor.close()).code).toBe(0);
    const [row, ...others] = await sessionsOf(place);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ state: "finished", cause: "clean", agent: "node", unsettled: true });
    const records = await recordsOf(place, row?.id);
    expect(textsOf(records)).toEqual([
      "edit note.md",
      "I will write it.",
      "Permission: Allow (allow_once)",
      "Done.",
    ]);
    expect(bodies(records, "agent.planned")).toMatchObject([
      {
        items: [
          { text: "write the note", state: "doing" },
          { text: "check it", state: "open" },
        ],
      },
    ]);
    const path = join(place.workspace, "note.md");
    const wrote = [{ path, hash: sha256("A note of note.md.\n") }];
    expect(bodies(records, "call.started")).toMatchObject([
      { tool: "Write a note", does: "edit", input: { file: "note.md" }, paths: [path] },
      { tool: "fs/write_text_file", does: "edit", paths: [path], wrote },
    ]);
    expect(bodies(records, "call.ended")).toMatchObject([
      { status: "done", wrote, found: [{ path, hash: sha256("An old note.\n") }] },
      { status: "done", output: "written" },
    ]);
    expect(bodies(records, "agent.heard")).toMatchObject([{ native_id: id, channel: "acp" }]);
    expect(bodies(records, "turn.ended")).toMatchObject([{ outcome: "completed" }]);
    const { json } = await place.json(["inspect"]);
    expect(json.groups[0].changes[0]).toMatchObject({ path: "note.md", owner: "session" });
  });

  it("L7: a turn that the agent refused is not completed by its exit code", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const editor = await editorAt(place);
    expect(await editor.prompt(await newSession(editor, place), "refuse")).toBe("refusal");
    expect((await editor.close()).code).toBe(0);
    const [row] = await sessionsOf(place);
    expect(bodies(await recordsOf(place, row?.id), "turn.ended")).toMatchObject([{ outcome: "failed" }]);
  });

  it("unknown methods pass both ways, and their answers come back", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const editor = await editorAt(place);
    const asked = editor.agent.request("_vendor/thing", { deep: [1, { two: "ü" }] });
    await expect(asked).rejects.toMatchObject({ code: -32601, data: { deep: [1, { two: "ü" }] } });
    expect((await editor.close()).code).toBe(0);
  });

  it("every byte passes unchanged and in order, whatever it is: no message, no text, no line, and 24 MB of it", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const echo = "process.stdin.pipe(process.stdout)";
    const child = place.start(["acp", "--", process.execPath, "-e", echo]);
    const hash = createHash("sha256");
    let bytes = 0;
    child.stdout?.on("data", (piece: Buffer) => {
      hash.update(piece);
      bytes += piece.length;
    });
    const over = ended(child);
    const odd = Buffer.from([0, 255, 254, 10, 13, 10, 0xed, 0xa0, 0x80, 10]);
    const line = Buffer.from(
      `{"jsonrpc":"2.0","id":${"9".repeat(400)},"method":"session/prompt","params":7}\n`,
    );
    const all = Buffer.concat([odd, line, Buffer.alloc(24 * 1024 * 1024, "x"), odd, Buffer.from('{"half')]);
    child.stdin?.end(all);
    expect((await over).code).toBe(0);
    expect([bytes, hash.digest("hex")]).toEqual([all.length, sha256(all)]);
  });
});

describe("an agent whose hooks tell of it, too", { timeout: 240_000 }, () => {
  it.each(["under the session's mark", "without it"])(
    "is one session with each call once, %s, alive and dead, in every conversation of its editor (S1, D4)",
    async (how) => {
      const { place, repo } = scene();
      repo.commit("base");
      const editor = await editorAt(place);
      const [first, second] = [await newSession(editor, place), await newSession(editor, place)];
      expect(await editor.prompt(second, "edit one.md")).toBe("end_turn");
      const session = await hanging(editor, place, first);
      const pid = await agentOf(place, session);
      const mark = bodies(await recordsOf(place, session), "agent.marked").at(-1)?.mark ?? null;
      const env = how === "without it" ? {} : { REFLOAT_SESSION: String(mark) };
      hookedHome(place.home);
      for (const native of [first, second]) {
        const events = claudeEvents(native, place.workspace);
        const told: readonly (readonly [string, JsonObject])[] = [
          ["UserPromptSubmit", events.prompt("hang")],
          ["PreToolUse", events.before("t1", "sleep 600")],
        ];
        for (const [event, payload] of told)
          callHook(place.home, { event, input: JSON.stringify(payload), cwd: place.workspace, env });
      }
      const before = await recordsOf(place, session);
      expect(await sessionsOf(place)).toMatchObject([{ id: session, state: "live" }]);
      editor.child.kill("SIGKILL");
      process.kill(pid, "SIGKILL");
      await editor.over;
      expect(await sessionsOf(place)).toMatchObject([{ id: session, state: "interrupted" }]);
      const after = await recordsOf(place, session);
      expect(bodies(after, "agent.observed").length).toBeGreaterThan(0);
      for (const kind of ["call.started", "message.added", "turn.started"])
        expect(bodies(after, kind), kind).toEqual(bodies(before, kind));
    },
  );
});

describe("after a kill", { timeout: 240_000 }, () => {
  it.each([
    ["refloat alone", async (editor: Editor) => void editor.child.kill("SIGKILL")],
    ["the agent", async (_: Editor, pid: number) => void process.kill(pid, "SIGKILL")],
    [
      "refloat and the agent",
      async (editor: Editor, pid: number) => {
        editor.child.kill("SIGKILL");
        process.kill(pid, "SIGKILL");
      },
    ],
  ])(
    "of %s in a tool, session/load goes on in the same session; what is replayed is recorded once (D4, C4)",
    async (_who, kill) => {
      const { place, repo } = scene();
      repo.commit("base");
      const first = await editorAt(place);
      const native = await newSession(first, place);
      expect(await first.prompt(native, "edit one.md")).toBe("end_turn");
      const session = await hanging(first, place, native);
      await kill(first, await agentOf(place, session));
      await first.over;
      const second = await editorAt(place);
      await loadSession(second, place, native);
      expect(second.updates.length).toBeGreaterThan(5);
      expect(await second.prompt(native, "edit two.md")).toBe("end_turn");
      expect((await second.close()).code).toBe(0);
      const rows = await sessionsOf(place);
      expect(rows).toMatchObject([{ id: session, state: "finished", last_attempt: expect.any(Number) }]);
      const records = await recordsOf(place, session);
      const texts = textsOf(records);
      expect(texts.filter((text) => text === "I will write it.")).toHaveLength(2);
      expect(texts.filter((text) => text.startsWith("edit"))).toEqual(["edit one.md", "edit two.md"]);
      const slow = bodies(records, "call.started").filter(({ tool }) => tool === "sleep");
      expect(slow).toHaveLength(1);
      expect(bodies(records, "call.ended").filter(({ call }) => call === slow[0]?.call)).toMatchObject([
        { status: expect.stringMatching(/interrupted|unknown-outcome/) },
      ]);
      expect(bodies(records, "turn.ended").map(({ outcome }) => outcome)).toEqual([
        "interrupted",
        "completed",
      ]);
      expect(readFileSync(join(place.workspace, "two.md"), "utf8")).toBe("A note of two.md.\n");
    },
  );

  it("K1, K2: of refloat alone while its agent lives on, what was recorded is there, nobody says that it is dead, and who comes then takes nothing from it", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const first = await editorAt(place, AGENT, { ACP_STAYS: "1" });
    const native = await newSession(first, place);
    const session = await hanging(first, place, native);
    const pid = await agentOf(place, session);
    onTestFinished(() => endIfThere(pid));
    first.child.kill("SIGKILL");
    await first.over;
    const before = await recordsOf(place, session);
    expect(textsOf(before)).toContain("hang");
    expect(await sessionsOf(place)).toMatchObject([{ id: session, state: "live", supervised: false }]);
    const second = await editorAt(place);
    await loadSession(second, place, native);
    expect(await second.prompt(native, "edit two.md")).toBe("end_turn");
    expect((await second.close()).code).toBe(0);
    expect(await sessionsOf(place)).toMatchObject([{ state: "finished" }, { id: session, state: "live" }]);
    expect(await recordsOf(place, session)).toEqual(before);
    process.kill(pid, "SIGKILL");
    await expect
      .poll(async () => (await sessionsOf(place))[1]?.state, { timeout: 60_000 })
      .toBe("interrupted");
  });

  it("C3: what was being said when the agent died is kept, marked as cut off", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const editor = await editorAt(place);
    const session = await hanging(editor, place, await newSession(editor, place));
    process.kill(await agentOf(place, session), "SIGKILL");
    expect((await editor.over).code).toBe(137);
    const cut = bodies(await recordsOf(place, session), "message.ended");
    expect(cut).toMatchObject([{ state: "cut-off", parts: [{ text: "half of a sen" }] }]);
    expect((await place.json(["inspect"])).json.last_output).toContain("half of a sen");
    const resumed = await place.json(["resume", session]);
    expect([resumed.code, resumed.json.code]).toEqual([1, "E_RESUME_NO_COMMAND"]);
  });

  it("DESIGN 9: an agent that died behind it is told of at the next start of an agent whose hooks call refloat", async () => {
    const { place, repo } = scene();
    repo.write("note.md", "An old note.\n");
    repo.commit("base");
    hookedHome(place.home);
    const editor = await editorAt(place);
    const session = await hanging(editor, place, await newSession(editor, place));
    repo.write("note.md", "An old note, and half of another\n");
    process.kill(await agentOf(place, session), "SIGKILL");
    expect((await editor.over).code).toBe(137);
    expect(keptNotice(noticeFileOf(place.home, place.workspace))).toMatchObject({
      kind: "due",
      text: expect.stringContaining(session),
    });
  });

  it("L7: another conversation's end completes nothing of the one that was cut off", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const first = await editorAt(place);
    const session = await hanging(first, place, await newSession(first, place));
    process.kill(await agentOf(place, session), "SIGKILL");
    await first.over;
    const second = await editorAt(place);
    expect(await second.prompt(await newSession(second, place), "edit other.md")).toBe("end_turn");
    await second.close();
    const ends = bodies(await recordsOf(place, session), "turn.ended").map(({ outcome }) => outcome);
    expect(ends).toEqual(["interrupted", "failed"]);
  });
});
