/** "The next session inherits all of it with no explanation": what it is told, also after somebody has settled it. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { ORIGIN, originTree } from "../support/origin-tree.ts";
import { freshSchema } from "../support/postgres.ts";

const LONG = { timeout: 300_000 };
const OP = `'${process.execPath}' '${BIN}' op`;

type Env = Readonly<Record<string, string>>;

async function killedAfter(place: Place, steps: readonly string[], env: Env = ANN): Promise<void> {
  const script = [...steps, "kill -9 $$"].join("\n");
  expect((await place.refloat(["run", "--", "/bin/sh", "-c", script], { env })).code).toBe(137);
}

/** The same by either driver. */
const STORES: readonly (readonly [string, Env])[] = [
  ["SQLite", ANN],
  ["Postgres", { ...ANN, REFLOAT_STORE: freshSchema().url }],
];

describe("the brief where no session was recorded", LONG, () => {
  it("origin 000.49: the next session opens it without a store, an id or an install, and gets every group with its verdict (S1, W1)", async () => {
    const { place, leave } = originTree();
    leave();
    const { code, stdout } = await place.refloat(["handoff"]);
    expect(code).toBe(0);
    expect(stdout).toContain("# Handoff: no session was recorded here");
    expect(stdout).toContain("12 groups of changes: 3 risky, 5 unknown, 4 safe.");
    for (const path of [...ORIGIN.risky, ...ORIGIN.safe]) expect(stdout).toContain(`\`${path}\``);
    expect(stdout).toContain("`refloat settle --adopt --dry-run`");
    expect(existsSync(place.store)).toBe(false);
    const { json } = await place.json(["handoff"]);
    expect(json).toMatchObject({
      schema: "refloat.handoff/1",
      session: { implied: true, agent: null, last_attempt: 0 },
      verdicts: { risky: 3, unknown: 5, safe: 4 },
    });
  });

  it("a budget too small for it leaves out no safe group's line for worse ones, and its last line can be typed as it stands (T6)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    for (let n = 0; n < 40; n++) repo.write(`part-${n}.cfg`, "old\n");
    repo.write("journal/today.md", "Morning.\n");
    repo.commit("base");
    for (let n = 0; n < 40; n++) repo.write(`part-${n}.cfg`, "new\n");
    repo.write("journal/today.md", "Morning.\nEvening.\n");
    const { stdout } = await place.refloat(["handoff", "--budget", "500"]);
    expect(stdout).toContain("`journal/today.md`");
    const [, command = ""] = /All of it: `refloat (.*)`/.exec(stdout) ?? [];
    const all = await place.refloat(command.split(" "));
    expect(all).toMatchObject({ code: 0 });
    expect(all.stdout).toContain("part-39.cfg");
  });

  it("is still E_NO_SESSION where nothing differs and nothing was done: there is nothing to tell", async () => {
    const { place } = originTree();
    expect(await place.json(["handoff"])).toMatchObject({ code: 1, json: { code: "E_NO_SESSION" } });
    expect(await place.json(["handoff", "nobody"])).toMatchObject({
      code: 1,
      json: { code: "E_NO_SESSION" },
    });
  });

  it("tells after an adopted settling what was committed and what is parked, though no session was", async () => {
    const { place, repo, leave } = originTree();
    leave();
    expect((await place.refloat(["settle", "--adopt", "--yes"], { env: ANN })).code).toBe(0);
    const { json } = await place.json(["handoff"]);
    const acts = json.done.map(({ act }: JsonObject) => act).sort();
    expect(acts).toEqual(["commit", "park", "park", "park"]);
    expect(json.done.find(({ act }: JsonObject) => act === "commit").commit).toBe(
      repo.git("rev-parse", "HEAD"),
    );
  });
});

describe.each(STORES)("the brief after settling, on %s", LONG, (_store, env) => {
  /** A session that died after one operation, in another, with a note in its journal. */
  async function settled(policy: string): Promise<{
    place: Place;
    head: string;
    now: string;
    brief: string;
    done: JsonObject[];
  }> {
    const { place, repo } = originTree();
    const head = repo.git("rev-parse", "HEAD");
    await killedAfter(
      place,
      [
        "echo 'Evening.' >> journal/2026-04-15.md",
        `${OP} begin rewrite --path Makefile`,
        "echo 'all:' > Makefile",
      ],
      env,
    );
    const ran = await place.refloat(["settle", "--yes", "--policy", policy], { env });
    expect(ran.code).toBe(0);
    const { json } = await place.json(["handoff"], { env });
    const brief = (await place.refloat(["handoff"], { env })).stdout;
    return { place, head, now: repo.git("rev-parse", "HEAD"), brief, done: json.done };
  }

  it("origin 000.59: says what was committed of what the prior session left, and by which commit (T1)", async () => {
    const { now, brief, done } = await settled("default");
    expect(brief).toContain(`committed 1 path (journal/2026-04-15.md) as ${now.slice(0, 12)}`);
    expect(done).toContainEqual(expect.objectContaining({ act: "commit", commit: now }));
  });

  it("origin 000.62: says what is parked and the command that brings it back, which does (T6)", async () => {
    const { place, brief, done } = await settled("default");
    const parked = done.find(({ act }) => act === "park");
    expect(parked?.command).toMatch(/^refloat unpark g[0-9a-f]{12}$/);
    expect(brief).toContain(
      "`rewrite` was begun and never ended, over `Makefile`: nothing of it is in the tree",
    );
    expect(brief).toContain(`parked 1 path (Makefile): back with ${parked?.command}`);
    const words = String(parked?.command).split(" ").slice(1);
    expect((await place.refloat([...words, "--yes"], { env })).code).toBe(0);
    const after = (await place.json(["handoff"], { env })).json.done;
    expect(after.map(({ act }: JsonObject) => act)).not.toContain("park");
  });

  it("origin 000.67: says what was discarded, back to HEAD rather than half a state, and the undo that has it back (S5)", async () => {
    const { place, brief, done } = await settled("revert-or-commit");
    expect(brief).toMatch(/discarded 1 path \(Makefile\): undo with refloat undo --plan \w+/);
    const discarded = done.find(({ act }) => act === "discard");
    const words = String(discarded?.command).split(" ").slice(1);
    expect((await place.refloat([...words, "--yes"], { env })).code).toBe(0);
    expect((await place.json(["handoff"], { env })).json.done.filter(({ act }: JsonObject) => act)).toEqual(
      [],
    );
  });

  it("names the HEAD the session worked on, and the one that is there now (T1)", async () => {
    const { place, head, now, brief } = await settled("default");
    expect(now).not.toBe(head);
    const both = `HEAD \`${head.slice(0, 12)}\`; HEAD is \`${now.slice(0, 12)}\` now.`;
    expect(brief).toContain(`It worked on branch \`main\`, ${both}`);
    expect((await place.json(["handoff"], { env })).json.base).toEqual({
      head: now,
      branch: "main",
      began_at: head,
      worked_on: head,
    });
  });

  it("names the commit it began at, too, where the session committed itself", async () => {
    const { place, repo } = originTree();
    const head = repo.git("rev-parse", "HEAD");
    await killedAfter(
      place,
      [
        "echo 'Evening.' >> journal/2026-04-15.md",
        "git commit -qam journal",
        `${OP} begin x`,
        "echo half > .vimrc",
      ],
      env,
    );
    const own = repo.git("rev-parse", "HEAD");
    const { stdout } = await place.refloat(["handoff"], { env });
    expect(stdout).toContain(`HEAD \`${own.slice(0, 12)}\` (it began at \`${head.slice(0, 12)}\`).`);
  });
});

describe("a session that timed out before it committed its work", LONG, () => {
  it("origin 000.48: leaves a manifest with every file it changed, and why it ended, though nothing was asked of it (S1)", async () => {
    const { place } = originTree();
    const script = "echo 'set new' > .vimrc; echo 'all:' > Makefile; echo new > notes.txt; sleep 60";
    const ran = await place.refloat([
      "run",
      "--timeout",
      "4s",
      "--drain",
      "1s",
      "--",
      "/bin/sh",
      "-c",
      script,
    ]);
    expect(ran.code).toBe(124);
    const { json } = await place.json(["inspect"]);
    expect(json.session).toMatchObject({ state: "interrupted", cause: "timeout", unsettled: true });
    const paths = json.groups.flatMap(({ changes }: JsonObject) =>
      changes.map(({ path }: JsonObject) => path),
    );
    expect(paths.sort()).toEqual([".vimrc", "Makefile", "notes.txt"]);
  });

  it("origin 000.63: with the last coherent output: whole lines, in the manifest and in the brief; half a line is no word of it", async () => {
    const { place } = originTree();
    await killedAfter(place, [
      "echo 'Now I sync the hooks with the template.'",
      "printf 'and then I wi'",
      "echo 'set new' > .vimrc",
      "sleep 0.5",
    ]);
    const { json } = await place.json(["inspect"]);
    expect(json.last_output).toBe("Now I sync the hooks with the template.");
    expect((await place.refloat(["handoff"])).stdout).toContain("Now I sync the hooks with the template.");
  });

  it("origin 000.50: why, as far as it was said: the operation by its name and the last words beside what changed", async () => {
    const { place } = originTree();
    const label = "move the hooks to the template's";
    await killedAfter(place, [
      `echo "# BEGIN: ${label}"`,
      "echo '- { repo: local }' > .pre-commit-config.yaml",
      "sleep 0.5",
    ]);
    const { stdout } = await place.refloat(["handoff"]);
    expect(stdout).toContain(`\`${label}\` was begun and never ended`);
    expect(stdout).toContain("`.pre-commit-config.yaml`");
  });
});
