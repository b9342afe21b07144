/** `inspect`: the manifest as the contract has it (DESIGN 10), of a dead session and where nobody ever installed anything. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest } from "../../src/model/manifest.ts";
import { displayWidth } from "../../src/text/width.ts";
import { deadOwner, type JsonObject, makePlace } from "../support/cli.ts";
import { fingerprint, testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";
import { seedSession } from "../support/seed-session.ts";

const changeAt = (json: JsonObject, path: string): JsonObject =>
  json.groups.flatMap(({ changes }: JsonObject) => changes).find((one: JsonObject) => one.path === path);

describe("inspect", () => {
  it("tells of a killed session what it was about, what is open, and whose every change is; it changes nothing (S1, W1)", async () => {
    const place = makePlace();
    const { repo, session } = await seedSession(place);
    const before = fingerprint(repo.root);
    const { code, json } = await place.json(["inspect"]);
    expect(code).toBe(0);
    expect(manifest.safeParse(json).success).toBe(true);
    expect(json).toMatchObject({
      schema: "refloat.inspect/1",
      session: { id: session, agent: "gptme", state: "interrupted", unsettled: true, attempt: 1 },
      goal: "Sync the workspace configuration with the template",
      last_output: "Now the shared configuration: I sync it with the template.",
      turn: { outcome: "interrupted" },
      operations: [{ label: "sync-precommit-config-with-template", state: "open", paths: expect.any(Array) }],
      base: { head: repo.git("rev-parse", "HEAD"), branch: "main" },
      leftovers: [],
      moving: false,
      claims_contradicted: [],
    });
    expect(json.calls.at(-1)).toMatchObject({ tool: "shell", status: "unknown-outcome", effect: "unknown" });
    expect(json.calls.at(-1).check).toContain("may have happened");
    expect(json.captures[0]).toMatchObject({ reason: expect.any(String), partial: false });
    expect(changeAt(json, "packages/gptmail")).toMatchObject({
      kind: "type",
      from: { kind: "symlink", target: "../contrib/gptmail" },
      to: { kind: "directory" },
      owner: "session",
      members: [{ path: "packages/gptmail/README.md" }, { path: "packages/gptmail/pyproject.toml" }],
    });
    const owners = json.groups
      .flatMap(({ changes }: JsonObject) => changes)
      .map(({ owner }: JsonObject) => owner);
    expect(new Set(owners)).toEqual(new Set(["session"]));
    expect(fingerprint(repo.root)).toBe(before);
    const again = await place.json(["inspect", session.slice(0, 6)]);
    expect(again.json.groups.map(({ id }: JsonObject) => id)).toEqual(
      json.groups.map(({ id }: JsonObject) => id),
    );
    expect((await place.refloat(["inspect", "--exit-code"])).code).toBe(3);
  });

  it("works with no prior install: an implied session, every owner unknown, and no store is made", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("f", "1\n");
    repo.commit();
    repo.write("f", "2\n");
    repo.write("new/g", "n\n");
    const { code, json } = await place.json(["inspect"]);
    expect(code).toBe(0);
    expect(json.session).toMatchObject({
      id: expect.stringMatching(/^implied-/),
      implied: true,
      unsettled: true,
    });
    expect(changeAt(json, "f")).toMatchObject({ kind: "modified", owner: "unknown" });
    expect(changeAt(json, "new/g")).toMatchObject({ kind: "added", owner: "unknown" });
    expect(existsSync(place.store)).toBe(false);
    const text = await place.refloat(["inspect"]);
    expect(text.stdout).toContain("No session was recorded here");
    repo.commit();
    expect((await place.json(["inspect"])).json).toMatchObject({
      groups: [],
      session: { unsettled: false },
      next: [],
    });
  });

  it("says E_NO_SESSION for an id nobody has", async () => {
    const place = makePlace();
    testRepository(place.workspace).commit();
    expect(await place.json(["inspect", "nobody"])).toMatchObject({
      code: 1,
      json: { code: "E_NO_SESSION" },
    });
  });

  it("prints no secret (T4) and lets no name or text act on the terminal (T3)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.commit();
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    await place.withStore(async (store) => {
      const session = await store.begin({
        id: "evil",
        agent: "\u001b]0;owned\u0007",
        workspace: repo.root,
        goal: `use ${token}`,
        owner: deadOwner(),
      });
      const turn = await session.turn("go");
      await turn.append({ role: "assistant", parts: `\u001b[2J\u202e it is ${token}` });
      await session.operation("\u001b[31mred", {});
      await turn.call({ tool: "shell", input: { command: `curl -H 'Authorization: Bearer ${token}' x` } });
      repo.write("a\u001b[2Jb\nc", "x\n");
    });
    const { json } = await place.json(["inspect"]);
    expect(JSON.stringify(json)).not.toContain(token);
    expect(changeAt(json, "a\u001b[2Jb\nc")).toMatchObject({ kind: "added" });
    const text = await place.refloat(["inspect"]);
    expect(text.stdout).not.toContain(token);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the point.
    expect(text.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it("shows a line a group in 80 columns, of a mess beyond that a count, and JSON has all of it (T5)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.commit();
    mkdirSync(join(repo.root, "many"));
    for (let n = 0; n < 1000; n++)
      writeFileSync(join(repo.root, `many/${"long".repeat(20)}-${n}.bin`), `${n}`);
    const text = await place.refloat(["inspect"], { env: { COLUMNS: "80" } });
    const lines = text.stdout.split("\n");
    expect(lines.length).toBeLessThan(250);
    expect(text.stdout).toMatch(/^UNKNOWN +and 800 more groups$/m);
    expect(text.stdout).toMatch(/^UNKNOWN +g[0-9a-f]{12} {2}many\/.*….*-0\.bin/m);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
    const { json } = await place.json(["inspect"]);
    expect(json.groups.flatMap(({ changes }: JsonObject) => changes)).toHaveLength(1000);
  });

  it("says how many open operations it leaves out, and --all leaves out none (T5)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("f", "1\n");
    repo.commit();
    await place.withStore(async (store) => {
      const about = { id: "dead", agent: "tester", workspace: repo.root, goal: "Much" };
      const session = await store.begin({ ...about, owner: deadOwner() });
      await session.turn("go");
      for (const n of [1, 2, 3, 4, 5]) await session.operation(`part ${n}`, { paths: [`p${n}`] });
    });
    const few = (await place.refloat(["inspect"])).stdout;
    expect(few.match(/Begun and never ended/g)).toHaveLength(3);
    expect(few).toContain("  and 2 more\n");
    expect(few).toContain("All of it: refloat inspect dead --all");
    const all = (await place.refloat(["inspect", "--all"])).stdout;
    expect(all.match(/Begun and never ended/g)).toHaveLength(5);
    expect(all).not.toContain(" more\n");
  });

  it("calls everything of a live session moving, and says what the agent claims and the workspace denies (S2, T2)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("f", "1\n");
    repo.commit();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "liar", agent: "t", workspace: repo.root });
      const turn = await session.turn("go");
      const call = await turn.call({ tool: "edit", input: { path: "f" } });
      repo.write("f", "2\n");
      await call.result("ok");
      const test = await turn.call({ tool: "bash", input: { command: "npm test" } });
      await test.result({ exit_code: 1, output: "1 failed" });
      await session.operation("refactor");
      const said = "All done! I have committed the changes. All tests pass.";
      await turn.append({ role: "assistant", parts: said });
      expect((await place.json(["inspect"])).json).toMatchObject({
        moving: true,
        session: { state: "live" },
      });
      await turn.end("completed");
      await session.finish();
    });
    const { json } = await place.json(["inspect"]);
    expect(json).toMatchObject({ moving: false, session: { state: "finished", unsettled: true } });
    expect(json.claims_contradicted.map(({ claim }: JsonObject) => claim)).toEqual([
      "committed",
      "tests-pass",
      "done",
    ]);
  });

  it("judges what an earlier clone's session left by the user's own configuration when its commit is not here any more", async () => {
    const place = makePlace();
    const old = testRepository(place.workspace);
    old.write("f", "1\n");
    old.commit();
    await leftSession(place, old, { edits: { g: () => old.write("g", "2\n") } });
    rmSync(join(place.workspace, ".git"), { recursive: true });
    const fresh = testRepository(place.workspace);
    fresh.git("add", "f");
    fresh.git("commit", "-qm", "another history");
    const { code, json } = await place.json(["inspect"]);
    expect({ code, schema: json.schema }).toEqual({ code: 0, schema: "refloat.inspect/1" });
    expect(changeAt(json, "g")).toMatchObject({ kind: "added" });
  });

  it("names what it did not look into, and never calls that nothing (W4, T1)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("f", "1\n");
    repo.commit();
    testRepository(join(place.workspace, "inner")).write("work", "not held\n");
    const { json } = await place.json(["inspect"]);
    expect(json).toMatchObject({
      groups: [],
      gaps: [{ path: "inner", why: expect.stringContaining("repository") }],
    });
    const { stdout } = await place.refloat(["inspect"]);
    expect(stdout).toContain("inner: ");
    expect(stdout).not.toContain("Nothing differs from HEAD");
  });

  it("compares a plain folder with the session's first capture", async () => {
    const place = makePlace();
    writeFileSync(join(place.workspace, "f"), "1\n");
    await place.withStore(async (store) => {
      const session = await store.begin({
        id: "plain",
        agent: "t",
        workspace: place.workspace,
        owner: deadOwner(),
      });
      await session.capture("begin");
      const turn = await session.turn("go");
      const call = await turn.call({ tool: "edit", input: { path: "f" } });
      writeFileSync(join(place.workspace, "f"), "2\n");
      await call.result("ok");
    });
    const { json } = await place.json(["inspect"]);
    expect(changeAt(json, "f")).toMatchObject({ kind: "modified", owner: "session" });
    expect(json.base).toEqual({ head: null, branch: null });
  });
});
