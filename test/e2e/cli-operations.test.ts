/** `op` and `decide`: into the session that is meant, under its mark, outside of it, and where nothing can be written. */
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { giveToBoundUser, refloatAsBoundUser } from "../support/bound-user.ts";
import { deadOwner, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const mark = (session: string, attempt: number) => ({ REFLOAT_SESSION: `${session}.${attempt}.abc` });

async function recordsOf(place: Place, session: string, kind: string) {
  return place.withStore((store) => store.raw.records({ session: session as SessionId, kinds: [kind] }));
}

describe("op", () => {
  it("K1, K5: under a mark it writes into the session its supervisor holds, under that attempt; the owner goes on, and an attempt that is over is refused", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "held", agent: "me", workspace: place.workspace });
      const env = mark("held", 1);
      expect(
        (await place.json(["op", "begin", "migrate", "--path", "db/**", "--path", "x"], { env })).json,
      ).toMatchObject({
        schema: "refloat.op-begin/1",
        recorded: true,
        session: "held",
        attempt: 1,
        operation: { label: "migrate", paths: ["db/**", "x"], state: "open" },
      });
      expect((await place.json(["op", "list"])).json.operations).toMatchObject([
        { label: "migrate", state: "open", session: "held" },
      ]);
      expect((await place.json(["op", "end", "migrate"], { env })).json).toMatchObject({
        operation: { state: "ended" },
      });
      await (await session.turn("on")).end("completed");
      expect((await place.json(["op", "begin", "late"], { env: mark("held", 7) })).json.code).toBe(
        "E_FENCED",
      );
      await session.finish();
      expect((await place.json(["op", "begin", "later"], { env })).json.code).toBe("E_FENCED");
    });
    const began = await recordsOf(place, "held", "operation.began");
    expect(began).toMatchObject([{ attempt: 1, body: { label: "migrate", from: "mark" } }]);
  });

  it("outside a mark it is the newest live session's, else that of one named manual; what is open there is ended there", async () => {
    const place = makePlace();
    testRepository(place.workspace).commit();
    await place.withStore(async (store) => {
      await store.begin({ id: "dead", agent: "x", workspace: place.workspace, owner: deadOwner() });
      const live = await store.begin({ id: "live", agent: "me", workspace: place.workspace });
      expect((await place.json(["op", "begin", "a"])).json).toMatchObject({ session: "live", attempt: 1 });
      await live.finish();
      const manual = (await place.json(["op", "begin", "b"])).json;
      expect(manual).toMatchObject({ recorded: true, session: expect.stringMatching(/^manual-/) });
      // Two people at once: both get in.
      const both = await Promise.all(["c", "d"].map((label) => place.json(["op", "begin", label])));
      expect(both.map(({ code, json }) => [code, json.recorded])).toEqual([
        [0, true],
        [0, true],
      ]);
    });
    expect((await place.json(["op", "end", "a"])).json.code).toBe("E_NO_OPERATION");
    const ended = (await place.json(["op", "end", "b", "--abort"])).json;
    expect(ended).toMatchObject({ operation: { label: "b", state: "aborted" }, capture: expect.any(String) });
    const states = (await place.json(["op", "list"])).json.operations.map(
      ({ label, state }: Record<string, string>) => [label, state],
    );
    expect(states.toSorted()).toEqual([
      ["a", "open"],
      ["b", "aborted"],
      ["c", "open"],
      ["d", "open"],
    ]);
    expect(
      (await place.json(["sessions"])).json.sessions.find(({ name }: { name: string }) => name === "manual"),
    ).toMatchObject({ state: "idle" });
    expect((await place.refloat(["op", "begin", "  "])).code).toBe(64);
  });

  it("in a sandbox whose store cannot be written it prints the marker alone on its line and exits 0, and nothing is made", async () => {
    const [home, workspace] = [temporaryFolder(), temporaryFolder()];
    chmodSync(home, 0o555);
    giveToBoundUser(workspace);
    const boxed = { HOME: workspace, REFLOAT_HOME: join(home, "store") };
    const asNobody = (args: string[], env: Record<string, string>) =>
      refloatAsBoundUser(args, { cwd: workspace, env: { ...boxed, ...env } });
    for (const env of [{}, mark("s", 1)] as Record<string, string>[]) {
      expect(asNobody(["op", "begin", "two words\nof two lines"], env)).toMatchObject({
        status: 0,
        stdout: "# BEGIN: two words of two lines\n",
      });
      expect(asNobody(["op", "end", "x"], env)).toMatchObject({ status: 0, stdout: "# END: x\n" });
      expect(asNobody(["op", "end", "x", "--abort"], env)).toMatchObject({
        status: 0,
        stdout: "# ABORT: x\n",
      });
      expect(asNobody(["decide", "orm", "none", "--reason", "small"], env)).toMatchObject({
        status: 0,
        stdout: "# DECIDED: orm = none (small)\n",
      });
      expect(JSON.parse(asNobody(["op", "begin", "x", "--json"], env).stdout)).toMatchObject({
        recorded: false,
        session: null,
        marker: "# BEGIN: x",
      });
    }
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("decide without a state file", () => {
  it("goes to the marked session, and is shown by key and by `decisions`, the last word first asked", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "held", agent: "me", workspace: place.workspace });
      const env = mark("held", 1);
      expect((await place.json(["decide", "orm", "none", "--reason", "small"], { env })).json).toMatchObject({
        schema: "refloat.decide/1",
        session: "held",
        recorded: true,
        key: "orm",
        value: "none",
        reason: "small",
      });
      await place.refloat(["decide", "orm", "drizzle"], { env });
      expect((await place.json(["decide", "orm"], { env })).json).toMatchObject({ value: "drizzle" });
      expect((await place.json(["decisions"])).json).toMatchObject({
        file: null,
        session: "held",
        decisions: [{ value: "none" }, { value: "drizzle" }],
      });
      await session.finish();
    });
    expect((await place.json(["decide", "orm"])).code).toBe(1);
    expect((await place.json(["decide", "orm", "by hand"])).json.session).toMatch(/^manual-/);
    expect((await place.json(["decisions"])).json.decisions).toMatchObject([
      { key: "orm", value: "by hand" },
    ]);
    // The step of a decision is kept where no state file is, too, as the library's `decide` keeps it.
    expect((await place.json(["decide", "orm", "x", "--step", "2"])).json).toMatchObject({
      file: null,
      step: "2",
    });
    expect((await place.json(["decisions"])).json.decisions.at(-1)).toMatchObject({ value: "x", step: "2" });
  });
});
