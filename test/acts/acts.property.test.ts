/**
 * Random work of a session, of another one and of a person in one tree, commits in between, then a random act (S5, W5):
 * what the session never wrote is as it was, and undo brings everything back.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { compileDiscard } from "../../src/acts/compilers/discard.ts";
import { gatherDiscard } from "../../src/acts/compilers/gather-discard.ts";
import { gatherRestore } from "../../src/acts/compilers/gather-restore.ts";
import { compileRestore } from "../../src/acts/compilers/restore.ts";
import type { PlanDraft } from "../../src/acts/plans/draft.ts";
import { findPlan } from "../../src/acts/plans/plans.ts";
import { holdPuts } from "../../src/acts/primitive/hold-and-apply.ts";
import type { SessionId } from "../../src/model/ids.ts";
import type { PathName } from "../../src/model/path-name.ts";
import { findCapture } from "../../src/workspace/captures/captures.ts";
import { sessionsOf } from "../../src/workspace/sessions/workspace-sessions.ts";
import { readingOf } from "../../src/workspace/tree/reading.ts";
import { type Acting, acting, gitState, slotsIn, treeOf } from "../support/acting.ts";
import fc from "../support/fast-check.ts";
import { DOOR_ENV } from "../support/git-repository.ts";
import { isFull, seed } from "../support/seed.ts";

const PATHS = ["a", "b", "d/x", "d/y", "d/e/z", "s/t", "d", "n"] as const;
const EDITS = ["write", "write", "append", "remove", "link", "exec", "private", "folder"] as const;
const RUNS = isFull ? 150 : 6;

interface Edit {
  readonly who: "session" | "other" | "human";
  readonly path: (typeof PATHS)[number];
  readonly edit: (typeof EDITS)[number];
  readonly text: number;
  readonly isStaged: boolean;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  who: fc.constantFrom("session", "session", "other", "human"),
  path: fc.constantFrom(...PATHS),
  edit: fc.constantFrom(...EDITS),
  text: fc.integer({ min: 0, max: 99 }),
  isStaged: fc.boolean(),
});
const story = fc.record({
  first: fc.array(edit, { maxLength: 5 }),
  later: fc.array(
    fc.oneof({ weight: 6, arbitrary: edit }, { weight: 1, arbitrary: fc.constant("commit" as const) }),
    {
      minLength: 3,
      maxLength: 10,
    },
  ),
  act: fc.constantFrom("discard", "restore", "named"),
});

/** Where something stands in the way of an edit, it does not happen. */
function doEdit(root: string, { path, edit: what, text }: Edit): void {
  const at = join(root, path);
  const above = path
    .split("/")
    .slice(0, -1)
    .map((_, i, names) => join(root, ...names.slice(0, i + 1)));
  if (above.some((one) => existsSync(one) && !lstatSync(one).isDirectory())) return;
  if (above.some((one) => lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink())) return;
  const is = lstatSync(at, { throwIfNoEntry: false });
  if (what === "remove" || what === "link" || what === "folder" || is?.isDirectory() || is?.isSymbolicLink())
    rmSync(at, { recursive: true, force: true });
  if (what === "remove") return;
  mkdirSync(dirname(at), { recursive: true });
  if (what === "link") symlinkSync(`target ${text}`, at);
  else if (what === "folder") {
    mkdirSync(at);
    writeFileSync(join(at, "inside"), `inside ${text}\n`);
  } else {
    writeFileSync(at, `text ${text}\n`, what === "append" ? { flag: "a" } : {});
    if (what === "exec") chmodSync(at, 0o755);
    if (what === "private") chmodSync(at, 0o600);
  }
}

const touched = (edits: readonly Edit[]): string[] =>
  edits.filter(({ who }) => who === "session").flatMap(({ path }) => [path, `${path}/inside`]);

/** A path that the session's edits may have taken along: itself, and what lay below or stands above it. */
const isNear = (path: string, paths: readonly string[]): boolean =>
  paths.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));

/** The capture the session began with. */
async function live(a: Acting, edits: readonly (Edit | "commit")[]): Promise<string> {
  const other = await a.store.begin({ agent: "other", workspace: a.repo.root });
  const session = await a.store.begin({ agent: "tester", workspace: a.repo.root, id: "mine" });
  const begun = await a.capture({ session: "mine" as SessionId, reason: "begin" });
  await a.capture({ session: other.id as SessionId, reason: "begin" });
  const turns = { session: await session.turn("go"), other: await other.turn("go") };
  for (const one of edits) {
    if (one === "commit") {
      a.repo.commit();
      continue;
    }
    const run = (): void => {
      doEdit(a.repo.root, one);
      if (one.isStaged) a.repo.git("add", "-A", "--", one.path.split("/")[0] ?? "");
    };
    if (one.who === "human") run();
    else {
      const call = await turns[one.who].call({ tool: "edit", input: { file_path: one.path } });
      run();
      await call.result("done");
    }
  }
  for (const turn of Object.values(turns)) await turn.end("completed");
  await session.finish();
  await other.finish();
  return begun.id;
}

async function draftFor(a: Acting, act: "discard" | "restore" | "named", begun: string): Promise<PlanDraft> {
  const rows = await sessionsOf(a.raw, [a.repo.root]);
  const options = { store: a.raw, workspace: a.here, env: DOOR_ENV, rows };
  if (act === "restore") {
    const { id, session, capture } = await findCapture(a.raw, rows, begun);
    const source = { id, session, reading: readingOf(capture), headId: capture.head?.id ?? null };
    const facts = await gatherRestore(options, source, []);
    return compileRestore(facts).draft;
  }
  const named = act === "named" ? (["a", "d/x"] as PathName[]) : [];
  return compileDiscard((await gatherDiscard(options, "mine" as SessionId, named)).facts).draft;
}

test(
  "S5, W5: after any act on a random tree, nothing the session never wrote differs, HEAD is where it was, and undo gives back every kind, byte, permission bit, link and index entry",
  async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ first, later, act }) => {
        const a = await acting();
        for (const path of ["a", "b", "d/x", "d/e/z", "s/t"]) a.repo.write(path, `first ${path}\n`);
        a.repo.commit();
        for (const one of first) doEdit(a.repo.root, { ...one, who: "human" });
        const begun = await live(a, later);
        const before = { tree: treeOf(a.repo.root), git: gitState(a.repo) };
        const draft = await draftFor(a, act, begun);
        if (a.here.kind === "folder") throw new Error("no repository");
        await holdPuts(a.raw, await a.here.repository(), a.repo.git("rev-parse", "HEAD"), draft.puts);
        const outcome = await a.apply(draft);
        const after = treeOf(a.repo.root);
        const own = touched(later.filter((one) => one !== "commit"));
        if (act === "discard")
          for (const path of new Set([...Object.keys(before.tree), ...Object.keys(after)]))
            if (!isNear(path, own)) expect(after[path], path).toBe(before.tree[path]);
        expect(gitState(a.repo).slice(1)).toEqual(before.git.slice(1));
        expect(slotsIn(a.repo.root)).toEqual([]);
        if (outcome.kind !== "done") return;
        changed++;
        const plan = await findPlan(a.raw, a.here, outcome.plan);
        if (!plan) throw new Error("no plan");
        expect(await a.undo(plan)).toMatchObject({ kind: "done", conflicts: [] });
        expect({ tree: treeOf(a.repo.root), git: gitState(a.repo) }).toEqual(before);
      }),
      // A story costs seconds: the first one that fails is told as it is, not made smaller.
      { numRuns: RUNS, seed, endOnFailure: true },
    );
    expect(changed).toBeGreaterThan(0);
    process.stdout.write(
      `${RUNS} random stories, ${changed} of them with an act that changed something (seed ${seed})\n`,
    );
  },
  60 * 60_000,
);
