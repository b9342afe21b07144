/** `sessions` and `show`, and how a session is named on the command line. */
import { describe, expect, it } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { breakClaim } from "../../src/session/claims.ts";
import { displayWidth } from "../../src/text/width.ts";
import { cutOffSession, deadOwner, makePlace, type Place } from "../support/cli.ts";

const HOSTILE = "evil\x1b[2J\x1b]0;title\x07\u202etxt\nnext line\r\u009b31m";
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal.
const RAW = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

async function finishedSession(place: Place, id: string, name?: string): Promise<void> {
  await place.withStore(async (store) => {
    const session = await store.begin({
      id,
      agent: "tester",
      workspace: place.workspace,
      ...(name ? { name } : {}),
    });
    const turn = await session.turn("hello");
    await turn.end("completed");
    await session.finish();
  });
}

describe("sessions", () => {
  it("has every field the contract names, newest first, of this repository only", async () => {
    const place = makePlace();
    const other = makePlace();
    await finishedSession(place, "older-one");
    await cutOffSession(place, { id: "newer-one", name: "nightly" });
    await place.withStore((store) =>
      store.begin({ id: "not-here", agent: "x", workspace: other.workspace }).then((s) => s.finish()),
    );
    const { code, json } = await place.json(["sessions"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ schema: "refloat.sessions/1", workspace: place.workspace });
    expect(json.sessions).toEqual([
      {
        id: "newer-one",
        name: "nightly",
        agent: "tester",
        workspace: place.workspace,
        state: "interrupted",
        unsettled: false,
        supervised: false,
        // Found, not recorded yet: a list writes nothing.
        cause: "unknown",
        attempt: 1,
        last_attempt: 1,
        dirty_ends: 1,
        started_at: expect.stringMatching(/^\d{4}-.*Z$/),
        ended_at: null,
        last_written_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      expect.objectContaining({ id: "older-one", state: "finished", cause: "clean" }),
    ]);
    const all = await place.json(["sessions", "--all"]);
    expect(all.json.workspace).toBeNull();
    expect(all.json.sessions).toHaveLength(3);
  });

  it("exits 3 for an interrupted or suspended session only with --exit-code, and 0 when there is none", async () => {
    const place = makePlace();
    await finishedSession(place, "fine");
    expect((await place.refloat(["sessions", "--exit-code"])).code).toBe(0);
    await cutOffSession(place, { id: "cut-off" });
    expect((await place.refloat(["sessions"])).code).toBe(0);
    expect((await place.refloat(["sessions", "--exit-code"])).code).toBe(3);
    expect((await place.json(["sessions", "--exit-code"])).code).toBe(3);
  });

  it("fits 80 columns whatever the names are, and points to what was cut off", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "a-very-long-id-".repeat(12), name: "名前".repeat(40) });
    await cutOffSession(place, { id: "b-another", name: HOSTILE });
    for (const args of [["sessions"], ["sessions", "--all"], ["show", "b-another"], ["claim", "status"]]) {
      const { code, stdout } = await place.refloat(args);
      expect(code).toBe(0);
      for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
      expect(stdout).not.toMatch(RAW);
    }
    const { stdout } = await place.refloat(["sessions"]);
    expect(stdout).toContain("STATE");
    expect(stdout).toMatch(/2 sessions were cut off.*refloat show/);
  });

  it("shows the newest hundred on a screen and says how many it left out; JSON has all (T5)", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      for (let i = 0; i < 103; i++) {
        await (await store.begin({ agent: "many", workspace: place.workspace })).finish();
      }
    });
    const { stdout } = await place.refloat(["sessions"]);
    expect(stdout.split("\n").filter((line) => line.includes("many"))).toHaveLength(100);
    expect(stdout).toContain("3 older ones left out");
    expect((await place.json(["sessions"])).json.sessions).toHaveLength(103);
  });

  it("says what to do where there are none", async () => {
    const ran = await makePlace().refloat(["sessions"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("--all");
  });
});

describe("naming a session", () => {
  it("goes by full id, by a beginning of at least four characters, and by name", async () => {
    const place = makePlace();
    await finishedSession(place, "abcdefgh", "nightly");
    await finishedSession(place, "abcdxyz");
    const shown = async (typed: string): Promise<string> => {
      const { json } = await place.json(["show", typed]);
      return json.session?.id ?? json.code;
    };
    expect(await shown("abcdefgh")).toBe("abcdefgh");
    expect(await shown("abcde")).toBe("abcdefgh");
    expect(await shown("nightly")).toBe("abcdefgh");
    expect(await shown("abcd")).toBe("E_AMBIGUOUS");
    expect(await shown("abc")).toBe("E_NO_SESSION");
    expect(await shown("nothing-like-it")).toBe("E_NO_SESSION");
    expect(await shown("ab%")).toBe("E_NO_SESSION");
  });

  it("prefers a whole id over a beginning, and this workspace's session among equal names", async () => {
    const place = makePlace();
    const other = makePlace();
    await finishedSession(place, "same");
    await finishedSession(place, "same-but-longer");
    expect((await place.json(["show", "same"])).json.session.id).toBe("same");
    await finishedSession(place, "here-1", "twin");
    await place.withStore((store) =>
      store
        .begin({ id: "there-1", agent: "x", workspace: other.workspace, name: "twin" })
        .then((s) => s.finish()),
    );
    expect((await place.json(["show", "twin"])).json.session.id).toBe("here-1");
    const elsewhere = await place.json(["show", "twin"], { cwd: place.home });
    expect([elsewhere.code, elsewhere.json.code]).toEqual([1, "E_AMBIGUOUS"]);
    expect(elsewhere.json.message).toContain("there-1");
  });

  it("means the newest of the sessions that had one name in this workspace, as `run --name` makes them", async () => {
    const place = makePlace();
    for (const at of [1, 2, 3])
      await place.refloat(["run", "--name", "nightly", "--agent", `night-${at}`, "--", "true"]);
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions.map(({ agent }: { agent: string }) => agent)).toEqual(["night-3", "night-2", "night-1"]);
    expect((await place.json(["show", "nightly"])).json.session.id).toBe(sessions[0].id);
    expect((await place.json(["suspend", "nightly"])).json.session).toBe(sessions[0].id);
    expect((await place.json(["lift", "nightly"])).json.session).toBe(sessions[0].id);
  });

  it("left out means the newest of this workspace, and E_NO_SESSION where there is none", async () => {
    const place = makePlace();
    await finishedSession(place, "first");
    await finishedSession(place, "second");
    expect((await place.json(["show"])).json.session.id).toBe("second");
    expect((await place.json(["log"])).json.session).toBe("second");
    const nowhere = await place.refloat(["show"], { cwd: place.home });
    expect(nowhere).toMatchObject({ code: 1, stdout: "" });
    expect(nowhere.stderr).toContain("E_NO_SESSION");
  });
});

describe("show", () => {
  it("tells tries, turns with outcomes, calls with status and effect, queue, operations and decisions", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "told" });
    const { json } = await place.json(["show", "told"]);
    expect(json.schema).toBe("refloat.show/1");
    expect(json.session).toMatchObject({ id: "told", state: "interrupted", goal: "Make it work" });
    expect(json.claim).toMatchObject({ held: false, attempt: 1, liveness: { kind: "dead" } });
    expect(json.attempts).toMatchObject([{ attempt: 1, label: "tester", why: "new", ended_at: null }]);
    expect(json.turns).toMatchObject([{ outcome: null, input: "Please make it work" }]);
    expect(json.calls).toMatchObject([
      { id: "c1", tool: "read_file", status: "done", effect: "none", synthetic: false },
      // Nobody saw it end: running it is not, and that it was not done nobody can say (C4).
      { id: "c2", tool: "deploy", status: "unknown-outcome", effect: "unknown", ended_at: null },
    ]);
    expect(json.queue).toMatchObject([{ text: "And one more thing", from: "chat" }]);
    expect(json.operations).toMatchObject([{ label: "migrate", state: "open", paths: ["db/**"] }]);
    expect(json.decisions).toMatchObject([{ key: "orm", value: "none", reason: "small" }]);
    expect(json.left_out).toBe(false);
    const { stdout } = await place.refloat(["show", "told"]);
    for (const said of [
      "Make it work",
      "ended without saying so",
      "may have happened",
      "And one more thing",
    ]) {
      expect(stdout).toContain(said);
    }
  });

  it("shows a second try that took over from a dead one, with what it settled", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "twice" });
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "twice", agent: "second", workspace: place.workspace });
      await session.release();
    });
    const { json } = await place.json(["show", "twice"]);
    expect(json.attempts).toMatchObject([
      { attempt: 1, ended_at: null },
      { attempt: 2, label: "second", why: "dead", ended_at: expect.any(String) },
    ]);
    expect(json.turns).toMatchObject([{ outcome: "interrupted" }]);
    expect(json.calls[1]).toMatchObject({ status: "unknown-outcome", synthetic: true });
    expect(json.notes).toMatchObject([{ kind: "recovered" }]);
    const { stdout } = await place.refloat(["show", "twice"]);
    expect(stdout).toContain("2nd try");
    expect(stdout).toContain("the try before was dead");
  });

  it.each([
    ["a recovery", 2, "1st", (store: RefloatStore) => store.recover()],
    [
      "a claim that was broken by order",
      2,
      "1st",
      (store: RefloatStore) => breakClaim(store.raw, "tried" as SessionId, selfOwner("claim break"), "gone"),
    ],
    [
      "somebody who took it and gave it back without a turn",
      2,
      "2nd",
      async (store: RefloatStore, workspace: string) =>
        (await store.begin({ id: "tried", agent: "second", workspace })).release(),
    ],
    [
      "somebody who took it after a recovery, and died",
      3,
      "3rd",
      async (store: RefloatStore, workspace: string) => {
        await store.recover();
        await store.begin({ id: "tried", agent: "third", workspace, owner: deadOwner("third") });
      },
    ],
  ] as const)(
    "counts tries in one way on every screen, after %s: attempt %i, %s try (K1, T1)",
    async (_, attempt, nth, then) => {
      const place = makePlace();
      await cutOffSession(place, { id: "tried" });
      await place.withStore(async (store) => void (await then(store, place.workspace)));
      const text = async (...args: string[]): Promise<string> => (await place.refloat(args)).stdout;
      for (const command of ["show", "inspect", "handoff"])
        expect(await text(command, "tried"), command).toContain(`${nth} try`);
      for (const command of [["sessions"], ["claim", "status", "tried"]])
        expect((await text(...command)).split("\n")[1], command.join(" ")).toMatch(
          new RegExp(`\\s${nth}\\s`),
        );
      const { sessions } = (await place.json(["sessions"])).json;
      expect(sessions).toMatchObject([{ attempt, last_attempt: Number.parseInt(nth, 10) }]);
    },
  );

  it("says of a turn that began without a message just that, never that what was cut off goes on (T1)", async () => {
    const place = makePlace();
    await place.refloat(["run", "--", "sh", "-c", "kill -9 $$"]);
    const { stdout } = await place.refloat(["show"]);
    expect(stdout).toMatch(/interrupted +\(no message\)/);
    expect(stdout).not.toContain("goes on");
  });

  it("says of a live session that it goes on, never that its open call may have happened", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "alive", agent: "tester", workspace: place.workspace });
      const turn = await session.turn("work");
      await turn.call({ id: "c", tool: "bash", input: { command: "sleep 1" } });
      const { json } = await place.json(["show", "alive"]);
      expect(json.session).toMatchObject({ state: "live", supervised: true });
      expect(json.claim).toMatchObject({ held: true, liveness: { kind: "alive" } });
      expect(json.calls).toMatchObject([{ status: "running" }]);
      expect((await place.refloat(["show", "alive"])).stdout).toContain("goes on");
    });
  });

  it("stays bounded on a long session and says what it left out (T5)", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "long", agent: "t", workspace: place.workspace });
      for (let i = 0; i < 40; i++) {
        const turn = await session.turn(`question ${i} ${"x".repeat(3000)}`);
        const call = await turn.call({ tool: "write", input: { content: "y".repeat(10_000) } });
        await call.result("ok");
        await turn.end("completed");
      }
      await session.finish();
    });
    const { stdout } = await place.refloat(["show", "long"]);
    expect(stdout.split("\n").length).toBeLessThan(100);
    expect(stdout).toContain("25 earlier left out");
    const { json } = await place.json(["show", "long"]);
    expect(json.turns).toHaveLength(40);
    expect(json.calls[0].input_cut).toBe(true);
    expect(JSON.stringify(json.calls[0]).length).toBeLessThan(5000);
  });

  it("lets nothing of a hostile session reach the terminal raw, in text or in JSON (T3)", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({
        id: "hostile",
        name: HOSTILE,
        agent: HOSTILE,
        workspace: place.workspace,
        goal: HOSTILE,
        owner: { ...deadOwner(HOSTILE) },
      });
      const turn = await session.turn(HOSTILE);
      await turn.append({ role: "assistant", parts: [{ type: "text", text: HOSTILE }, { type: HOSTILE }] });
      const call = await turn.call({ id: "c", tool: HOSTILE, input: { command: HOSTILE } });
      await call.result(HOSTILE);
      await session.operation(HOSTILE, { paths: [HOSTILE] });
      await session.decide(HOSTILE, HOSTILE, { reason: HOSTILE });
      await session.enqueue(HOSTILE, { from: HOSTILE });
    });
    for (const args of [
      ["sessions", "--all"],
      ["show", "hostile"],
      ["log", "hostile"],
      ["claim", "status"],
      ["log", "hostile", "--export", "openai-chat"],
      ["claim", "break", "hostile", "--reason", HOSTILE, "--dry-run"],
      ["forget", "hostile", "--reason", HOSTILE, "--dry-run"],
      ["show", HOSTILE],
      ["show", `nobody ${HOSTILE}`],
      [`nonsense ${HOSTILE}`],
    ]) {
      for (const flags of [[], ["--json"]]) {
        const { stdout, stderr } = await place.refloat([...args, ...flags]);
        expect(stdout + stderr).not.toMatch(RAW);
        expect((stdout + stderr).length).toBeGreaterThan(10);
      }
    }
    // What programs read is exactly what was stored.
    expect((await place.json(["show", "hostile"])).json.session.goal).toBe(HOSTILE);
  });
});
