/** `forget`: erasing on the user's order, the one exception of D2. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cutOffSession, makePlace } from "../support/cli.ts";

const SAID = "Please make it work";

describe("forget", () => {
  it("without --yes and without a terminal says how much would go, changes nothing and exits 1", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "private" });
    const text = await place.refloat(["forget", "private"]);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/Erase \d+ records of 1 session/);
    expect(text.stderr).toContain("E_NEEDS_YES");
    const { code, json } = await place.json(["forget", "private"]);
    expect([code, json.code, json.plan.sessions]).toEqual([1, "E_NEEDS_YES", 1]);
    const dry = await place.json(["forget", "private", "--dry-run", "--yes"]);
    expect(dry).toMatchObject({
      code: 0,
      json: { schema: "refloat.forget/1", done: false, forgotten: null },
    });
    expect((await place.refloat(["log", "private"])).stdout).toContain(SAID);
  });

  it("with --yes erases what was said from every screen and from the files, and leaves a record that and why", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "private" });
    const { code, json } = await place.json(["forget", "private", "--reason", "asked by mail", "--yes"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ done: true, plan: { session: "private", reason: "asked by mail" } });
    expect(json.forgotten.records).toBe(json.plan.records);
    const log = await place.refloat(["log", "private"]);
    expect(log.stdout).not.toContain(SAID);
    expect(log.stdout).toContain("forgotten");
    expect(readFileSync(place.store).includes(SAID)).toBe(false);
    const shown = (await place.json(["show", "private"])).json;
    expect(shown.notes.at(-1)).toMatchObject({
      kind: "forgotten",
      text: expect.stringContaining("asked by mail"),
    });
    expect((await place.refloat(["store", "check"])).code).toBe(0);
    expect((await place.refloat(["forget", "private", "--yes"])).stdout).toContain("Nothing to erase");
  });

  it("goes by date and by path, and never by default", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "by-path" });
    const past = await place.json(["forget", "--before", "2001-01-01", "--yes"]);
    expect(past).toMatchObject({ code: 0, json: { done: false, plan: { records: 0 } } });
    const path = await place.json(["forget", "--path", "a.txt", "--yes"]);
    expect(path).toMatchObject({ code: 0, json: { done: true, plan: { path: "a.txt" } } });
    expect(path.json.forgotten.records).toBeGreaterThan(0);
    expect((await place.refloat(["log", "by-path"])).stdout).toContain(SAID);
    const all = await place.json(["forget", "--before", "2999-01-01T00:00:00Z", "--yes"]);
    expect(all.json.plan.before).toBe("2999-01-01T00:00:00.000Z");
    expect((await place.refloat(["log", "by-path"])).stdout).not.toContain(SAID);
    expect((await place.refloat(["forget", "--yes"])).code).toBe(64);
  });

  it("leaves a session somebody holds alone: exit 4 when it was named, listed as held otherwise", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "busy", agent: "t", workspace: place.workspace });
      const turn = await session.turn("still going");
      const named = await place.json(["forget", "busy", "--yes"]);
      expect([named.code, named.json.code]).toEqual([4, "E_HELD"]);
      const { json } = await place.json(["forget", "--before", "2999-01-01", "--yes"]);
      expect(json.plan.held).toEqual(["busy"]);
      await turn.end("completed");
      await session.finish();
    });
    expect((await place.refloat(["log", "busy"])).stdout).toContain("still going");
  });
});
