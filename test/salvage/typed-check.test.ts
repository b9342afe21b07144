/**
 * S7: the check that the user typed last, outside any mark, is his check of the repository: what it failed stays so upon another
 * HEAD, without the cache, and in a loop, until he types another or takes it back.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { openWorkspace } from "../../src/library/workspace.ts";
import { TRUST_SESSION } from "../../src/model/ids.ts";
import { bodyAs } from "../../src/model/record.ts";
import type { Location } from "../../src/workspace/git/locate.ts";
import { recordTrust } from "../../src/workspace/trust/trust.ts";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const FAILS = "test ! -e src/b.js";
const PASSES = "test -e src/a.js";
const env = { ...ANN };

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
}

/** An agent that ends an operation and is killed. */
const REFLOAT = `${process.execPath} ${BIN}`;
const AGENT = [
  "bash",
  "-c",
  `${REFLOAT} op begin w; echo "export const b = 1;" > src/b.js; ${REFLOAT} op end w; kill -9 $$`,
];

function scene(config: JsonObject | null = null): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("src/a.js", "export const a = 1;\n");
  repo.write("package.json", '{ "type": "module" }\n');
  if (config) repo.write("refloat.json", JSON.stringify(config));
  repo.commit();
  return { place, repo };
}

async function left(config: JsonObject | null = null): Promise<Scene> {
  const at = scene(config);
  await at.place.refloat(["run", "--", ...AGENT]);
  return at;
}

/** Verdict and first rule of the one group, and what is said of the check. */
async function seenBy({ place }: Scene, face: string): Promise<JsonObject> {
  const { groups, check } = (await place.json([face])).json;
  expect(groups).toHaveLength(1);
  return { verdict: groups[0].verdict, rule: groups[0].reasons[0].rule, check };
}

async function settled({ place, repo }: Scene): Promise<boolean> {
  const head = repo.git("rev-parse", "HEAD");
  await place.json(["settle", "--yes"], { env });
  return repo.git("rev-parse", "HEAD") !== head;
}

describe("the check that the user typed last (S7)", { timeout: 120_000 }, () => {
  it("is run again upon another HEAD and without the cache: what it failed is never safe, and settle leaves it", async () => {
    const at = await left();
    expect((await seenBy(at, "inspect")).verdict).toBe("safe");
    await at.place.json(["inspect", "--verify", FAILS]);
    at.repo.git("commit", "-q", "--allow-empty", "-m", "unrelated");
    expect(await seenBy(at, "status")).toMatchObject({ verdict: "unknown", rule: "not-checked" });
    expect(await settled(at)).toBe(false);
    expect(await seenBy(at, "status")).toMatchObject({ verdict: "unknown", rule: "check-failed" });
    rmSync(join(at.place.home, "analysis.cache"));
    for (const face of ["status", "handoff"])
      expect(await seenBy(at, face)).toMatchObject({ verdict: "unknown", rule: "not-checked" });
    expect(await seenBy(at, "inspect")).toMatchObject({
      verdict: "unknown",
      rule: "check-failed",
      check: { command: FAILS, state: "run" },
    });
  });

  it("is run by a loop though it was typed before any session: what it fails is not committed", async () => {
    const { place, repo } = scene();
    await place.json(["inspect", "--verify", FAILS]);
    const head = repo.git("rev-parse", "HEAD");
    const { stderr } = await place.refloat(["loop", "--max", "1", "--settle", "default", "--", ...AGENT], {
      env,
    });
    expect(stderr).toContain(`Check: ${FAILS}`);
    expect(repo.git("rev-parse", "HEAD")).toBe(head);
  });

  it("gives way to another that is typed, also to one that was typed before it", async () => {
    const at = await left();
    await at.place.json(["inspect", "--verify", PASSES]);
    await at.place.json(["inspect", "--verify", FAILS]);
    expect((await seenBy(at, "inspect")).check).toEqual({ command: FAILS, state: "run" });
    await at.place.json(["inspect", "--verify", PASSES]);
    expect(await seenBy(at, "inspect")).toMatchObject({
      verdict: "safe",
      check: { command: PASSES, state: "run" },
    });
    expect(await settled(at)).toBe(true);
  });

  it("is shown by trust and ended by trust --revoke: then nothing it said counts, and it does not run", async () => {
    const at = await left();
    await at.place.json(["inspect", "--verify", FAILS]);
    expect((await at.place.refloat(["trust"])).stdout).toContain(`verify = ${FAILS}`);
    expect((await at.place.json(["trust", "--revoke", "--yes"])).json).toMatchObject({
      done: true,
      plan: { commands: [{ key: "verify", value: FAILS, origin: "typed by you with --verify" }] },
    });
    for (const face of ["status", "inspect"]) expect((await seenBy(at, face)).verdict).toBe("safe");
    expect((await at.place.refloat(["trust"])).stdout).toContain("nothing to trust");
    await at.place.json(["inspect", "--verify", FAILS]);
    expect((await seenBy(at, "inspect")).verdict).toBe("unknown");
  });

  it("is not put out of force by a configuration that names one nobody trusted; one that is trusted comes before it (T2)", async () => {
    const at = await left({ verify: PASSES });
    await at.place.json(["inspect", "--verify", FAILS]);
    const { stderr } = await at.place.refloat(["inspect"]);
    expect(stderr).toContain(`refloat inspect --verify '${PASSES}'`);
    expect(await seenBy(at, "inspect")).toMatchObject({ verdict: "unknown", rule: "check-failed" });
    expect(await settled(at)).toBe(false);
    await at.place.json(["trust", "--yes"]);
    expect((await seenBy(at, "inspect")).check).toEqual({ command: PASSES, state: "run" });
  });

  it("is never an empty one, by any face: that is said before anything is looked at, and remembered nowhere (T1)", async () => {
    const at = await left();
    await at.place.json(["inspect", "--verify", FAILS]);
    const empty = { code: 64, json: { code: "E_USAGE", message: "The check is empty." } };
    for (const text of ["", " ", "#", "  # npm test\n\t\n"]) {
      expect(await at.place.json(["inspect", "--verify", text])).toMatchObject(empty);
      expect(await at.place.json(["last-good", "--verify", text])).toMatchObject(empty);
      const workspace = await openWorkspace(at.place.workspace, {
        env: { PATH: process.env.PATH, HOME: at.place.home, REFLOAT_HOME: at.place.home },
      });
      await expect(workspace.inspect({ verify: text })).rejects.toMatchObject({ code: "E_USAGE" });
      await workspace.close();
    }
    const { stderr, code } = await at.place.refloat(["loop", "--until", " ", "--", "true"]);
    expect({ stderr, code }).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("The check is empty."),
    });
    expect(await seenBy(at, "inspect")).toMatchObject({ verdict: "unknown", check: { command: FAILS } });
  });

  it("is still the one before an empty one that an older refloat remembered", async () => {
    const at = await left();
    await at.place.json(["inspect", "--verify", FAILS]);
    const store = await openStore(join(at.place.home, "refloat.db"), { thread: false });
    const [record] = await store.raw.records({ session: TRUST_SESSION, kinds: ["trust.given"], limit: 1 });
    const given = record && bodyAs(record, "trust.given");
    const repository = { commonDir: given?.repository } as Location;
    await recordTrust(store.raw, repository, "0".repeat(64), { trusted: true, check: " " });
    await store.close();
    expect(await seenBy(at, "inspect")).toMatchObject({ verdict: "unknown", check: { command: FAILS } });
  });

  it("is not chosen by a process of a session, which runs none either (T2)", async () => {
    const at = await left();
    await at.place.json(["inspect", "--verify", FAILS]);
    at.repo.git("commit", "-q", "--allow-empty", "-m", "unrelated");
    const { sessions } = (await at.place.json(["sessions"])).json;
    const marked = { REFLOAT_SESSION: `${sessions[0].id}.1.abc` };
    expect((await at.place.json(["inspect", "--verify", PASSES], { env: marked })).json.code).toBe(
      "E_UNDER_MARK",
    );
    const { json } = await at.place.json(["inspect"], { env: marked });
    expect(json.check).toEqual({ command: FAILS, state: "not-run" });
    expect(json.groups[0].verdict).toBe("unknown");
  });
});
