/** "Too much information, too little context": what the first origin's author would have seen of what was left there. */
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/text/width.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { ORIGIN, originTree } from "../support/origin-tree.ts";

const LONG = { timeout: 300_000 };

const lineOf = (screen: string, path: string): string | undefined =>
  screen.split("\n").find((line) => line.includes(path));

async function verdicts(place: Place): Promise<Record<string, string>> {
  const { groups } = (await place.json(["inspect"])).json;
  return Object.fromEntries(
    groups.flatMap(({ verdict, changes }: JsonObject) =>
      changes.map(({ path }: JsonObject) => [path, verdict]),
    ),
  );
}

describe("the tree of the first origin, with no session that anybody recorded", LONG, () => {
  it("origin 000.47: every modified file of twelve groups has its line, and the four safe ones are not cut off for worse ones (S1, T1)", async () => {
    const { place, leave } = originTree();
    leave();
    const { stdout } = await place.refloat(["inspect"], { env: { COLUMNS: "80" } });
    expect(stdout).toContain("12 changes in 12 groups, nobody's: 3 risky, 5 unknown, 4 safe");
    for (const path of ORIGIN.safe) expect(lineOf(stdout, path)).toMatch(/^SAFE +g[0-9a-f]{12} /);
    for (const path of ORIGIN.unknown) expect(lineOf(stdout, path)).toMatch(/^UNKNOWN +g[0-9a-f]{12} /);
    for (const path of ORIGIN.risky) expect(lineOf(stdout, path)).toBeDefined();
    expect(stdout).not.toContain("--json has them");
    expect(stdout.split("\n").filter((line) => displayWidth(line) > 80)).toEqual([]);
  });

  it("origin 000.47: `inspect --all`, which the screen names, shows every group with its paths and reasons (T6)", async () => {
    const { place, leave } = originTree();
    leave();
    const short = await place.refloat(["inspect"]);
    expect(short.stdout).toContain("All of it: refloat inspect --all");
    const { code, stdout } = await place.refloat(["inspect", "--all"]);
    expect(code).toBe(0);
    expect(stdout.match(/^(?:RISKY|UNKNOWN|SAFE) +g[0-9a-f]{12} {2}1 change/gm)).toHaveLength(12);
    expect(stdout).toContain("  - journal/2026-04-14.md only grew at its end.");
    expect(stdout).not.toContain("All of it:");
  });

  it("origin 000.61: dotfiles are unknown: they could be good cleanup or an incomplete migration (S3)", async () => {
    const { place, leave } = originTree();
    leave();
    const found = await verdicts(place);
    for (const path of ORIGIN.unknown) expect(found[path]).toBe("unknown");
    for (const path of ORIGIN.safe) expect(found[path]).toBe("safe");
    for (const path of ORIGIN.risky) expect(found[path]).toBe("risky");
  });

  it("origin 000.60: what is adopted by policy commits the safe ones; a risky one is in no commit and can be had back (S3, W5)", async () => {
    const { place, repo, leave } = originTree();
    leave();
    const before = repo.git("rev-parse", "HEAD");
    const settled = await place.json(["settle", "--adopt", "--yes"], { env: ANN });
    expect(settled.code).toBe(0);
    const committed = repo.git("diff", "--name-only", before, "HEAD").split("\n").sort();
    expect(committed).toEqual([...ORIGIN.safe].sort());
    const parked = (await place.json(["parked"])).json.parked as JsonObject[];
    const paths = parked.flatMap((one) => one.paths.map(({ path }: JsonObject) => path));
    expect(paths.sort()).toEqual([...ORIGIN.risky, "packages/gptmail/mail.py"].sort());
    // What nobody knows is left as it is, for somebody who looks into it (000.62).
    for (const path of ORIGIN.unknown) expect(repo.read(path)).toBe("set new\n");
  });
});

describe("fifty and more files of one session", LONG, () => {
  const names = Array.from({ length: 60 }, (_, at) => `src/part-${String(at).padStart(2, "0")}.txt`);

  function scene(): { place: Place; write: (name: string) => void; repo: ReturnType<typeof testRepository> } {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    for (const name of names) repo.write(name, "old\n");
    repo.commit("base");
    return { place, repo, write: (name) => repo.write(name, "new\n") };
  }

  it("origin 000.70: 60 changes are 60 lines and not 8, with or without a session (T1)", async () => {
    const { place, write } = scene();
    for (const name of names) write(name);
    const { stdout } = await place.refloat(["inspect"]);
    expect(names.filter((name) => !stdout.includes(name))).toEqual([]);
    expect(stdout).toContain("60 changes in 60 groups");
  });

  it("origin 000.70: one group of 60 says how many, shows a screen of them, and all of them by --all (T1)", async () => {
    const { place, repo, write } = scene();
    const edits = Object.fromEntries(names.map((name) => [name, () => write(name)]));
    await leftSession(place, repo, { edits, operation: "move all", isTurnOpen: true });
    const { stdout } = await place.refloat(["inspect"]);
    expect(stdout).toContain("60 changes");
    expect(names.filter((name) => stdout.includes(name)).length).toBeGreaterThanOrEqual(20);
    const [command] = /refloat (inspect .*--all)/.exec(stdout)?.slice(1) ?? [];
    const all = await place.refloat((command ?? "").split(" "));
    expect(names.filter((name) => !all.stdout.includes(name))).toEqual([]);
  });

  it("origin 000.70: a plan that leaves 60 groups names each of them (T1)", async () => {
    const { place, write } = scene();
    for (const name of names) write(name);
    const { stdout } = await place.refloat(["settle", "--adopt", "--dry-run"]);
    expect(names.filter((name) => !stdout.includes(name))).toEqual([]);
  });
});

describe("what the diff of the first origin revealed", LONG, () => {
  async function reasonsOf(path: string): Promise<JsonObject[]> {
    const { place, leave } = originTree();
    leave();
    const { groups } = (await place.json(["inspect"])).json;
    const group = groups.find(({ changes }: JsonObject) =>
      changes.some((one: JsonObject) => one.path === path),
    );
    expect(group.verdict).toBe("risky");
    return group.reasons;
  }

  it("origin 000.51: ruff went from v0.14.7 down to v0.6.9, which a comparison of letters would call up", async () => {
    expect(await reasonsOf(".pre-commit-config.yaml")).toContainEqual(
      expect.objectContaining({
        rule: "downgrade",
        message: expect.stringContaining(
          "lowers a version: https://github.com/astral-sh/ruff-pre-commit from v0.14.7 to v0.6.9",
        ),
      }),
    );
  });

  it("origin 000.52: mypy was switched from a local hook back to mirrors-mypy, and the switch is named, on the screen, too", async () => {
    const words =
      "takes the hook mypy from https://github.com/pre-commit/mirrors-mypy (v1.11.2), no longer from local (uv run mypy).";
    expect(await reasonsOf(".pre-commit-config.yaml")).toContainEqual(
      expect.objectContaining({ rule: "config", message: `.pre-commit-config.yaml ${words}` }),
    );
    const { place, leave } = originTree();
    leave();
    const { stdout } = await place.refloat(["inspect"]);
    expect(stdout.replace(/\s+/g, " ")).toContain("takes the hook mypy from");
  });

  it("origin 000.53: the Makefile was rewritten: most of it was replaced", async () => {
    expect((await reasonsOf("Makefile")).map(({ rule }) => rule)).toContain("rewrite");
  });

  it("origin 000.54: a link that became a folder is one change of another kind, with what lies in it", async () => {
    const { place, leave } = originTree();
    leave();
    const { groups } = (await place.json(["inspect"])).json;
    const [change] = groups.flatMap(({ changes }: JsonObject) =>
      changes.filter(({ path }: JsonObject) => path === "packages/gptmail"),
    );
    expect(change).toMatchObject({ kind: "type", from: { kind: "symlink" }, to: { kind: "directory" } });
    expect(change.members).toMatchObject([{ path: "packages/gptmail/mail.py" }]);
  });

  it("origin 000.55: nobody can commit the link's deletion without the folder: the group goes whole or not at all (S4)", async () => {
    const { place, repo, leave } = originTree();
    leave();
    const { groups } = (await place.json(["inspect"])).json;
    const { id } = groups.find(({ changes }: JsonObject) => changes[0].path === "packages/gptmail");
    const done = await place.json(["commit", "--group", id, "--yes"], { env: ANN });
    expect(done.code).toBe(0);
    expect(repo.git("show", "--name-status", "--format=", "HEAD").split("\n").sort()).toEqual([
      "A\tpackages/gptmail/mail.py",
      "D\tpackages/gptmail",
    ]);
  });
});
