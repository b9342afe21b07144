/** T2: a command that came with a repository runs nothing by itself; the user's own words, and what he trusted by its text, do. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place, type Ran } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  /** Made by the command, if it runs. */
  readonly ran: string;
  readonly notify: string;
}

function scene(isCommitted = true): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  const ran = join(place.home, "ran");
  const notify = `cat >> ${ran}`;
  repo.write("a.txt", "a\n");
  if (isCommitted) repo.write("refloat.json", JSON.stringify({ notify }));
  repo.commit();
  return { place, repo, ran, notify };
}

type Env = Readonly<Record<string, string>>;

const loop = ({ place }: Scene, more: readonly string[] = [], env: Env = {}): Promise<Ran> =>
  place.refloat(["loop", "--max", "1", ...more, "--", "true"], { env });

/** Whether it ran since the last time. */
function hasRun({ ran }: Scene): boolean {
  const isThere = existsSync(ran);
  if (isThere) expect(readFileSync(ran, "utf8")).toContain('"refloat.notify/1"');
  rmSync(ran, { force: true });
  return isThere;
}

describe("notify of a committed refloat.json", { timeout: 60_000 }, () => {
  it("does not run in a fresh clone, and the loop says so with the command that shows and trusts it; trusted, it runs; another text voids that (T2)", async () => {
    const at = scene();
    const { code, stderr } = await loop(at);
    expect(code).toBe(0);
    expect(hasRun(at)).toBe(false);
    expect(stderr).toContain("nobody is notified");
    expect(stderr).toContain(at.notify);
    expect(stderr).toMatch(/asks: refloat trust$/m);
    const shown = await at.place.json(["trust", "--dry-run"]);
    expect(shown.json).toMatchObject({
      done: false,
      plan: { commands: [{ key: "notify", value: at.notify, origin: "refloat.json at HEAD" }] },
    });
    expect((await at.place.json(["trust", "--yes"])).json).toMatchObject({ done: true });
    expect((await loop(at)).stderr).not.toContain("nobody is notified");
    expect(hasRun(at)).toBe(true);
    at.repo.write("refloat.json", JSON.stringify({ notify: `${at.notify} ` }));
    at.repo.commit();
    await loop(at);
    expect(hasRun(at)).toBe(false);
    at.repo.write("refloat.json", JSON.stringify({ notify: at.notify }));
    at.repo.commit();
    await at.place.json(["trust", "--revoke", "--yes"]);
    await loop(at);
    expect(hasRun(at)).toBe(false);
  });

  it("runs once the user typed the same text, and not because a process of a session did (T2)", async () => {
    const at = scene();
    await loop(at, ["--notify", at.notify], { REFLOAT_SESSION: "somebody.1.abc" });
    rmSync(at.ran, { force: true });
    await loop(at);
    expect(hasRun(at)).toBe(false);
    const marked = await at.place.json(["trust", "--yes"], { env: { REFLOAT_SESSION: "somebody.1.abc" } });
    expect(marked).toMatchObject({ code: 1, json: { code: "E_UNDER_MARK" } });
    await loop(at, ["--notify", at.notify]);
    expect(hasRun(at)).toBe(true);
    await loop(at);
    expect(hasRun(at)).toBe(true);
  });
});

describe("notify of the user's own configuration", { timeout: 60_000 }, () => {
  it("runs, and what the repository says beside it does not (T2)", async () => {
    const at = scene();
    const settings = join(at.place.home, "settings");
    mkdirSync(join(settings, "refloat"), { recursive: true });
    const own = join(at.place.home, "own");
    writeFileSync(join(settings, "refloat/config.json"), JSON.stringify({ notify: `cat >> ${own}` }));
    const { stderr } = await loop(at, [], { XDG_CONFIG_HOME: settings });
    expect(stderr).not.toContain("nobody is notified");
    expect(existsSync(own)).toBe(true);
    expect(hasRun(at)).toBe(false);
  });
});

describe("trust", { timeout: 60_000 }, () => {
  it("shows and trusts the check that a refloat.json names like everything else of it that would run; nothing to show is said", async () => {
    const at = scene(false);
    const { stdout } = await at.place.refloat(["trust"]);
    expect(stdout).toContain("nothing to trust");
    const check = `touch ${at.ran}`;
    at.repo.write("refloat.json", JSON.stringify({ verify: check }));
    at.repo.commit();
    at.repo.write("a.txt", "b\n");
    await at.place.json(["trust", "--dry-run"]);
    expect((await at.place.json(["inspect"])).json.verify).toBeUndefined();
    await at.place.json(["trust", "--yes"]);
    const { json } = (await at.place.json(["inspect"])) as { json: JsonObject };
    expect(json.verify).toMatchObject({ command: check });
    expect(existsSync(at.ran)).toBe(true);
  });
});
