/**
 * T2 binds a session to refloat.json as it was when it began. Nobody can correct a commit that is made: one that cannot be used
 * there makes nothing safe (S3) and locks nothing. What can be corrected, HEAD's and the user's own, is an error as ever.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const BROKEN = '{\n  "policy": "hope"\n}\n';
const env = { ...ANN };

/** A session that began where refloat.json cannot be used, and left three files that would be safe. */
async function scene(): Promise<{ place: Place; repo: TestRepository; begin: string }> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["a", "b", "c"]) repo.write(`journal/${name}.md`, "begun\n");
  repo.write("refloat.json", BROKEN);
  repo.commit();
  const begin = repo.git("rev-parse", "HEAD").trim();
  const script = "for f in a b c; do echo more >> journal/$f.md; done";
  expect((await place.refloat(["run", "--", "sh", "-c", script])).code).toBe(0);
  return { place, repo, begin };
}

function correct(repo: TestRepository): void {
  repo.write("refloat.json", "{}\n");
  repo.git("commit", "-q", "-m", "corrected", "refloat.json");
}

const LONG = { timeout: 120_000 };

describe("a refloat.json that cannot be used where the session began", LONG, () => {
  it("makes nothing safe once HEAD has a corrected one, in every face, and the reason names its commit (S3, T2)", async () => {
    const { place, repo, begin } = await scene();
    correct(repo);
    for (const face of ["inspect", "status", "handoff"]) {
      const { code, json } = await place.json([face]);
      expect(code, face).toBe(0);
      expect(json.groups.length, face).toBeGreaterThan(0);
      for (const { verdict, reasons } of json.groups) {
        expect(verdict, face).toBe("unknown");
        const said = reasons.map(({ message }: JsonObject) => message).join("\n");
        expect(said, face).toMatch(/cannot be used: line 2, column \d+/);
        expect(said, face).toContain(`refloat.json at ${begin.slice(0, 12)}`);
      }
    }
    const { json } = await place.json(["settle", "--dry-run"], { env });
    expect(json.plan.acts.map(({ act }: JsonObject) => act)).not.toContain("commit");
  });

  it("locks nothing: commit, park and discard by name work, and undo does", async () => {
    const { place, repo } = await scene();
    correct(repo);
    for (const args of [
      ["commit", "journal/a.md", "-m", "a"],
      ["park", "journal/b.md"],
      ["discard", "journal/c.md"],
    ])
      expect(await place.json([...args, "--yes"], { env }), args.join(" ")).toMatchObject({ code: 0 });
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(repo.git("show", "HEAD:journal/a.md")).toContain("more");
    expect((await place.json(["sessions"])).json.sessions[0].unsettled).toBe(false);
    expect((await place.json(["undo", "--yes"], { env })).code).toBe(0);
    expect(repo.git("status", "--porcelain")).toContain("journal/c.md");
  });

  it("is not what the user's own configuration says beside it: that counts, and where it cannot be used it is an error he can mend (T1)", async () => {
    const { place, repo } = await scene();
    correct(repo);
    const settings = join(place.home, "settings");
    mkdirSync(join(settings, "refloat"), { recursive: true });
    const own = join(settings, "refloat/config.json");
    const mine = { XDG_CONFIG_HOME: settings };
    writeFileSync(own, '{ "ignore": ["journal/c.md"] }');
    const { json } = await place.json(["inspect"], { env: mine });
    expect(JSON.stringify(json.groups)).not.toContain("journal/c.md");
    writeFileSync(own, BROKEN);
    const refused = await place.json(["inspect"], { env: mine });
    expect(refused).toMatchObject({ code: 1, json: { code: "E_BAD_CONFIG" } });
    expect(refused.json.message).toContain(own);
  });
});

describe("a refloat.json at HEAD that cannot be used", LONG, () => {
  it("is an error for the session that began there, until it is corrected, and keeps no brief back (T1)", async () => {
    const { place, repo } = await scene();
    const { code, json } = await place.json(["inspect"]);
    expect([code, json.code]).toEqual([1, "E_BAD_CONFIG"]);
    expect(json.hint).toContain("commit");
    const brief = await place.json(["handoff"]);
    expect(brief.code).toBe(0);
    for (const { verdict } of brief.json.groups) expect(verdict).toBe("unknown");
    correct(repo);
    expect((await place.json(["inspect"])).code).toBe(0);
  });

  it("is an error for work of no session, and once it is corrected there, that is judged by it", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("journal/a.md", "begun\n");
    repo.write("refloat.json", BROKEN);
    repo.commit();
    repo.write("journal/a.md", "begun\nmore\n");
    expect((await place.json(["inspect"])).json.code).toBe("E_BAD_CONFIG");
    correct(repo);
    expect((await place.json(["inspect"])).code).toBe(0);
  });
});
