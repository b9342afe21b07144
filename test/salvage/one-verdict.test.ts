/**
 * S7: one tree, one verdict. The same work, looked at by every face: with a check that passes, one that fails, one that nobody
 * trusted, and none. A face that does not run the check says so, and none calls safe what another does not.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const CHECK = "node check.mjs";
const OTHER = "true";
const env = { ...ANN };

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  /** An agent that changes the limit in an operation that it ends. */
  readonly agent: readonly string[];
}

interface Given {
  /** The limit that the agent writes: the check refuses what is above ten. */
  readonly limit: number;
  readonly configured?: string;
  /** Typed by the user before anything is recorded, and before there is a store. */
  readonly typed?: string;
  /** More of the configuration. */
  readonly config?: JsonObject;
}

const BEFORE = 'export const limit = 1;\nexport const name = "limits";\n';

async function scene({ limit, configured, typed, config = {} }: Given): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("limits.mjs", BEFORE);
  repo.write("check.mjs", 'import { limit } from "./limits.mjs";\nprocess.exit(limit > 10 ? 1 : 0);\n');
  if (configured !== undefined) repo.write("refloat.json", JSON.stringify({ verify: configured, ...config }));
  repo.commit();
  if (typed !== undefined) await place.json(["inspect", "--verify", typed]);
  const refloat = `${process.execPath} ${BIN}`;
  const script = [
    `${refloat} op begin raise --path limits.mjs`,
    `sed -i 's/limit = 1/limit = ${limit}/' limits.mjs`,
    `${refloat} op end`,
  ];
  return { place, repo, agent: ["sh", "-c", script.join(" && ")] };
}

interface Seen {
  readonly verdict: string;
  readonly rules: readonly string[];
}

const seenIn = ({ groups }: JsonObject): Seen => {
  expect(groups).toHaveLength(1);
  const [{ verdict, reasons }] = groups;
  return { verdict, rules: reasons.map(({ rule }: JsonObject) => rule) };
};
const byStatus = async ({ place }: Scene): Promise<Seen> => seenIn((await place.json(["status"])).json);
const byHandoff = async ({ place }: Scene): Promise<Seen> => seenIn((await place.json(["handoff"])).json);
const byInspect = async ({ place }: Scene): Promise<Seen> => seenIn((await place.json(["inspect"])).json);
const bySettle = async ({ place }: Scene): Promise<string[]> =>
  (await place.json(["settle", "--dry-run"], { env })).json.plan.acts.map(({ act }: JsonObject) => act);

/** The commit a loop made of it, and what it said. */
async function byLoop(given: Given): Promise<{ readonly isCommitted: boolean; readonly said: string }> {
  const at = await scene(given);
  const head = at.repo.git("rev-parse", "HEAD");
  const { stderr } = await at.place.refloat(
    ["loop", "--max", "1", "--settle", "default", "--", ...at.agent],
    { env },
  );
  return { isCommitted: at.repo.git("rev-parse", "HEAD") !== head, said: stderr };
}

async function left(given: Given): Promise<Scene> {
  const at = await scene(given);
  await at.place.refloat(["run", "--", ...at.agent]);
  return at;
}

describe("one tree, one verdict (S7)", { timeout: 120_000 }, () => {
  it("where the trusted check fails, no face calls it safe: those that do not run it say 'not checked', and then what it said; no loop commits it", async () => {
    const given: Given = { limit: 20, configured: CHECK, typed: CHECK };
    const at = await left(given);
    for (const face of [byStatus, byHandoff])
      expect(await face(at)).toMatchObject({ verdict: "unknown", rules: ["not-checked"] });
    const { stdout } = await at.place.refloat(["status"]);
    expect(stdout).toContain("Not checked:");
    expect(stdout).not.toMatch(/\bsafe\b/i);
    expect(await byInspect(at)).toMatchObject({ verdict: "unknown", rules: ["check-failed"] });
    expect(await bySettle(at)).toEqual(["leave"]);
    for (const face of [byStatus, byHandoff])
      expect(await face(at)).toMatchObject({ verdict: "unknown", rules: ["check-failed"] });
    const { isCommitted, said } = await byLoop(given);
    expect(isCommitted).toBe(false);
    expect(said).toContain(`Check: ${CHECK}`);
  });

  it("where it passes, all call it safe once it was run, and a loop commits it; upon another HEAD it is not checked again", async () => {
    const given: Given = { limit: 5, configured: CHECK, typed: CHECK };
    const at = await left(given);
    expect(await byStatus(at)).toMatchObject({ verdict: "unknown", rules: ["not-checked"] });
    expect(await bySettle(at)).toEqual(["commit"]);
    for (const face of [byStatus, byHandoff, byInspect]) expect((await face(at)).verdict).toBe("safe");
    expect((await byLoop(given)).isCommitted).toBe(true);
    at.repo.git("commit", "-q", "--allow-empty", "-m", "meanwhile");
    expect(await byStatus(at)).toMatchObject({ verdict: "unknown", rules: ["not-checked"] });
  });

  it("where the configured one was never trusted, none runs it and all say the same; the loop says that it did not", async () => {
    const given: Given = { limit: 20, configured: CHECK };
    const at = await left(given);
    const seen = await byStatus(at);
    expect(seen.verdict).toBe("safe");
    expect(await byHandoff(at)).toMatchObject({ verdict: "safe" });
    expect(await byInspect(at)).toEqual(seen);
    expect(await bySettle(at)).toEqual(["commit"]);
    const { isCommitted, said } = await byLoop(given);
    expect(isCommitted).toBe(true);
    expect(said).toContain(`refloat inspect --verify '${CHECK}'`);
  });

  it("where none is given, all say the same; and one that is typed is the user's check from then on, for all", async () => {
    const given: Given = { limit: 20 };
    const at = await left(given);
    const seen = await byStatus(at);
    expect(seen.verdict).toBe("safe");
    expect(await byHandoff(at)).toMatchObject({ verdict: "safe" });
    expect(await byInspect(at)).toEqual(seen);
    expect((await byLoop(given)).isCommitted).toBe(true);
    const { json } = await at.place.json(["inspect", "--verify", CHECK]);
    expect(json.check).toEqual({ command: CHECK, state: "run" });
    for (const face of [byStatus, byHandoff, byInspect])
      expect(await face(at)).toMatchObject({ verdict: "unknown", rules: ["check-failed"] });
    // A process of the session runs none (T2): there its last run counts.
    const { json: sessions } = await at.place.json(["sessions"]);
    const marked = { REFLOAT_SESSION: `${sessions.sessions[0].id}.1.abc` };
    const kept = await at.place.json(["inspect"], { env: marked });
    expect(kept.json.check).toEqual({ command: CHECK, state: "kept" });
    expect((await at.place.json(["inspect"])).json.check).toEqual({ command: CHECK, state: "run" });
    expect(await bySettle(at)).toEqual(["leave"]);
  });

  it("the notice at the start of the next run counts it as the others do, and commits as it goes make none of it", async () => {
    const at = await left({
      limit: 20,
      configured: CHECK,
      typed: CHECK,
      config: { commit: { at: "operation-end" } },
    });
    expect(at.repo.git("rev-list", "--count", "HEAD")).toBe("1");
    const { stdout } = await at.place.refloat(["run", "--", "sh", "-c", 'echo "$REFLOAT_NOTICE"']);
    expect(stdout).toContain("0 safe, 0 risky, 1 unknown");
  });

  it("another check that was typed does not stand for the one that is configured and trusted", async () => {
    const at = await left({ limit: 20, configured: CHECK, typed: CHECK });
    await at.place.json(["inspect", "--verify", OTHER]);
    expect(await byStatus(at)).toMatchObject({ verdict: "unknown", rules: ["not-checked"] });
  });

  it("a process of the session reads the verdict and runs no check for it (T2)", async () => {
    const at = await left({ limit: 5, configured: CHECK, typed: CHECK });
    const { json: sessions } = await at.place.json(["sessions"]);
    const marked = { REFLOAT_SESSION: `${sessions.sessions[0].id}.1.abc` };
    const { json } = await at.place.json(["inspect"], { env: marked });
    expect(json.check).toEqual({ command: CHECK, state: "not-run" });
    expect(seenIn(json)).toMatchObject({ verdict: "unknown", rules: ["not-checked"] });
  });
});

describe("where verdicts are made (S7)", () => {
  it("is one place: nothing else calls the judge of a session's work, or runs the user's check on it", () => {
    const src = resolve(import.meta.dirname, "../../src");
    const callers = (name: RegExp): string[] =>
      readdirSync(src, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
        .filter((path) => name.test(readFileSync(join(src, path), "utf8")))
        .sort();
    expect(callers(/import \{[^}]*\bsalvage\b[^}]*\} from ".*judging\/salvage\.ts"/)).toEqual([
      "app/salvage/salvage-of.ts",
    ]);
    expect(callers(/\bwithVerify\(/)).toEqual(["salvage/check/checked-salvage.ts"]);
    expect(callers(/import \{[^}]*\b(?:runOn|withoutRunning)\b/)).toEqual(["app/salvage/salvage-of.ts"]);
  });
});
