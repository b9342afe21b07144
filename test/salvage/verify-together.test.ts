/** What a check of all that was finished costs, and what it is worth: one run where it passes, and one commit (DESIGN 8, S3). */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

const NAMES = ["one", "two", "three", "four", "five"];
const sql = (name: string): string => `CREATE TABLE ${name} (\n  id int\n);\n`;

/** A session that said it is done, and left work in a language nothing here can parse: each file a group of its own. */
async function scene(more: (name: string) => string = () => ""): Promise<{
  place: Place;
  repo: TestRepository;
  check: string;
  runs: () => string[];
}> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of NAMES) repo.write(`db/${name}.sql`, "-- to come\n");
  repo.commit();
  const edits = NAMES.map((name) => [
    `db/${name}.sql`,
    () => repo.write(`db/${name}.sql`, sql(name) + more(name)),
  ]);
  await leftSession(place, repo, { edits: Object.fromEntries(edits) });
  const log = join(place.home, "seen-runs");
  const runs = (): string[] => {
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    rmSync(log);
    return lines;
  };
  // Each run says how many of the files it sees as the session left them.
  return {
    place,
    repo,
    runs,
    check: `grep -l CREATE db/*.sql | wc -l | tr -d ' ' >> ${log}; ! grep -rq BAD db`,
  };
}

const verdicts = (json: JsonObject): string[] => json.groups.map(({ verdict }: JsonObject) => verdict);

describe("a check of all that a session finished", { timeout: 5 * 60_000 }, () => {
  it("costs HEAD's run and one more where it passes, however many groups there are: all is verified and committed together (S3, S7)", async () => {
    const { place, repo, check, runs } = await scene();
    const before = await place.json(["inspect"]);
    expect(verdicts(before.json)).toEqual(NAMES.map(() => "unknown"));
    const first = await place.json(["inspect", "--verify", check]);
    expect(runs()).toEqual(["0", "5"]);
    expect(verdicts(first.json)).toEqual(NAMES.map(() => "safe"));
    for (const { reasons } of first.json.groups)
      expect(reasons.map(({ rule }: JsonObject) => rule)).toEqual(["verified"]);
    expect(first.json.verify).toMatchObject({ head: "passed", together: "passed", untried: 0 });
    const count = Number(repo.git("rev-list", "--count", "HEAD"));
    const settled = await place.json(["settle", "--yes", "--policy", "default"], { env: ANN });
    expect(settled.json.plan.acts.map(({ act }: JsonObject) => act)).toEqual(NAMES.map(() => "commit"));
    expect(runs()).toEqual(["0", "5"]);
    expect(Number(repo.git("rev-list", "--count", "HEAD"))).toBe(count + 1);
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("asks HEAD in each process: what it needs may be gone since it passed (S3, T2)", async () => {
    const { place, check, runs } = await scene();
    const gate = join(place.home, "gate");
    const gated = `${check} && test ! -e ${gate}`;
    await place.json(["inspect", "--verify", gated]);
    expect(runs()).toEqual(["0", "5"]);
    // What fails from here on is not in the tree.
    writeFileSync(gate, "");
    const { json } = await place.json(["inspect", "--verify", gated]);
    expect(runs()).toContain("0");
    expect(json.verify).toMatchObject({ head: "failed", groups: [], together: null });
    expect(
      json.groups.flatMap(({ reasons }: JsonObject) => reasons.map(({ rule }: JsonObject) => rule)),
    ).not.toContain("check-failed");
  });

  it("voids none but the two that clash: the others passed without them, are safe, and are committed (S3)", async () => {
    const { place, repo, check } = await scene();
    const files = "db/two.sql db/four.sql";
    const clash = `${check} && test $(grep -l CREATE ${files} | wc -l) -lt 2`;
    const { stdout } = await place.refloat(["inspect", "--verify", clash]);
    expect(stdout).toContain("passes on HEAD, and with 3 groups, with 2 groups alone; fails with 0\n");
    const { json } = await place.json(["inspect"]);
    const of = (wanted: string): string[] =>
      json.groups
        .filter(({ verdict }: JsonObject) => verdict === wanted)
        .map(({ changes }: JsonObject) => changes[0].path)
        .sort();
    expect([of("safe"), of("unknown")]).toEqual([
      ["db/five.sql", "db/one.sql", "db/three.sql"],
      ["db/four.sql", "db/two.sql"],
    ]);
    await place.refloat(["settle", "--yes", "--policy", "default"], { env: ANN });
    expect(repo.git("diff", "--name-only").split("\n")).toEqual(["db/four.sql", "db/two.sql"]);
  });

  it("costs HEAD one run for all sessions of a repository that are settled together (S7)", async () => {
    const { place, repo, check, runs } = await scene();
    await leftSession(place, repo, {
      id: "other",
      edits: { "db/more.sql": () => repo.write("db/more.sql", sql("more")) },
    });
    await place.json(["inspect", "other", "--verify", check]);
    runs();
    const { json } = await place.json(["settle", "--repo", "--dry-run"], { env: ANN });
    expect(json.plan.acts.map(({ act }: JsonObject) => act)).toEqual([...NAMES, "more"].map(() => "commit"));
    expect(runs().filter((seen) => seen === "0")).toHaveLength(1);
  });

  it("finds the one that fails by halves and shows how far it is; the others are verified together (S3)", async () => {
    const { place, check, runs } = await scene((name) => (name === "three" ? "-- BAD\n" : ""));
    const { stderr } = await place.refloat(["inspect", "--verify", check]);
    const all = runs();
    expect(all.slice(0, 2)).toEqual(["0", "5"]);
    expect(all.length).toBeLessThan(2 * NAMES.length);
    const steps = stderr.split("\n").slice(0, -1);
    expect(steps.slice(0, 2)).toEqual([
      "Checking HEAD alone (1 of 6)",
      "Checking HEAD with 5 groups together (2 of 6)",
    ]);
    expect(steps).toHaveLength(all.length);
    expect(new Set(steps).size).toBe(steps.length);
    const { json } = await place.json(["inspect"]);
    const failed = json.groups.filter(({ verdict }: JsonObject) => verdict !== "safe");
    expect(failed.map(({ changes }: JsonObject) => changes[0].path)).toEqual(["db/three.sql"]);
    expect(failed[0].reasons.map(({ rule }: JsonObject) => rule)).toContain("check-failed");
  });
});
