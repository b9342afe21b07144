/**
 * Random trees, random edits by a session, another session and a human, commits in between; then the session's changes
 * are discarded and that is undone (S5, W5). Nothing but the session's own may differ, and undo brings everything back.
 */
import { chmodSync, lstatSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileDiscard } from "../../src/acts/compilers/discard.ts";
import { gatherDiscard } from "../../src/acts/compilers/gather-discard.ts";
import { compileUndo } from "../../src/acts/compilers/undo.ts";
import { historyOf } from "../../src/acts/plans/history.ts";
import { plansOf } from "../../src/acts/plans/plans.ts";
import { applyDraft } from "../../src/acts/primitive/apply-draft.ts";
import { holdPuts } from "../../src/acts/primitive/hold-and-apply.ts";
import type { Session } from "../../src/conversation/session.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { sessionsOf } from "../../src/workspace/sessions/workspace-sessions.ts";
import { gitState, treeOf } from "../support/acting.ts";
import { type Capturing, capturing } from "../support/capturing.ts";
import fc from "../support/fast-check.ts";
import { DOOR_ENV } from "../support/git-repository.ts";
import { isFull, seed } from "../support/seed.ts";

const RUNS = isFull ? 150 : 6;
const PATHS = ["a.txt", "b.txt", "d/c.txt", "d/e.txt", "f", "pkg"] as const;

type Who = "session" | "other" | "human";
interface Edit {
  readonly kind: "write" | "link" | "swap" | "chmod" | "remove";
  readonly who: Who;
  readonly path: string;
  readonly isNamed: boolean;
}
type Step = Edit | { readonly kind: "commit" | "stage" };

const path = fc.constantFrom(...PATHS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "write" as const,
        "link" as const,
        "swap" as const,
        "chmod" as const,
        "remove" as const,
      ),
      who: fc.constantFrom<Who>("session", "session", "other", "human"),
      path,
      isNamed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("commit" as const, "stage" as const) }) },
);

describe("a discard of a session's changes", () => {
  it("touches nothing that another wrote last, and its undo is exact", async () => {
    let discarded = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
        discarded += await story(steps);
      }),
      { numRuns: RUNS, seed, endOnFailure: isFull },
    );
    console.log(
      `discard property: seed ${seed}, ${RUNS} stories, ${discarded} paths discarded and brought back`,
    );
    expect(discarded).toBeGreaterThan(0);
  });
});

async function story(steps: readonly Step[]): Promise<number> {
  const scene = await capturing();
  const { repo, store } = scene;
  for (const name of PATHS.slice(0, 5)) repo.write(name, `${name}\n`);
  symlinkSync("d", join(repo.root, "pkg"));
  repo.commit();
  const begin = (id: string): Promise<Session> =>
    store.begin({ id, agent: id, workspace: repo.root, captures: "off" });
  const sessions = { session: await begin("mine"), other: await begin("theirs") };
  for (const one of Object.values(sessions)) await one.capture("begin");
  const lastWriter = new Map<string, Who>();
  let n = 0;
  for (const one of steps) {
    n++;
    if (!("who" in one)) {
      if (one.kind === "commit") repo.commit();
      else repo.git("add", "-A");
      continue;
    }
    // A human's removal could not be told from a session's earlier one: the state is the same.
    if (one.who === "human" && one.kind === "remove") continue;
    let isChanged = false;
    const work = (): void => {
      isChanged = change(scene, one, n);
    };
    if (one.who === "human") work();
    else await byCall(sessions[one.who], one, work);
    if (isChanged) lastWriter.set(one.path, one.who);
  }
  for (const one of Object.values(sessions)) await one.finish();
  return discardAndUndo(scene, lastWriter);
}

/** Between two captures of its own, in one call, while nobody else has one open. */
async function byCall(session: Session, { path: target, isNamed }: Edit, work: () => void): Promise<void> {
  await session.capture();
  const turn = await session.turn("go");
  const input = isNamed ? { path: target } : { command: "do it" };
  const call = await turn.call({ tool: "tool", input });
  work();
  await call.result("ok");
  await turn.end("completed");
  await session.capture();
}

/** False: there was nothing to do it to. */
function change({ repo }: Capturing, { kind, path: target }: Edit, n: number): boolean {
  const at = join(repo.root, target);
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (kind === "chmod") {
    // Each step its own bits: else nobody could tell by the state who set them.
    if (stat?.isFile()) chmodSync(at, 0o700 | n);
    return stat?.isFile() ?? false;
  }
  // Somebody replaced the folder above it: leave that alone.
  const parent = lstatSync(join(repo.root, "d"), { throwIfNoEntry: false });
  if (target.includes("/") && !parent?.isDirectory()) return false;
  rmSync(at, { recursive: true, force: true });
  if (kind === "write") repo.write(target, `written in step ${n}\n`);
  if (kind === "link") symlinkSync(`step-${n}`, at);
  if (kind === "swap") repo.write(`${target}/inside-${n}`, `in a folder, step ${n}\n`);
  return kind !== "remove" || stat !== undefined;
}

async function discardAndUndo(scene: Capturing, lastWriter: ReadonlyMap<string, Who>): Promise<number> {
  const { repo, store, workspace } = scene;
  const here = workspace();
  const rows = await sessionsOf(store.raw, [repo.root]);
  const before = treeOf(repo.root);
  const state = gitState(repo);
  const options = { store: store.raw, workspace: here, env: DOOR_ENV, rows };
  const { facts, headId } = await gatherDiscard(options, "mine" as SessionId, []);
  const { draft } = compileDiscard(facts);
  await holdPuts(store.raw, here.kind === "git" ? await here.repository() : null, headId, draft.puts);
  const outcome = await applyDraft(store.raw, here, draft, { env: DOOR_ENV });
  if (outcome.kind === "refused") throw outcome.error;
  const after = treeOf(repo.root);
  const differ = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  const top = (name: string): string =>
    PATHS.find((one) => name === one || name.startsWith(`${one}/`)) ?? name;
  const strange = differ.filter((name) => name !== "d" && lastWriter.get(top(name)) !== "session");
  expect(strange).toEqual([]);
  if (outcome.kind !== "done") {
    expect(after).toEqual(before);
    return 0;
  }
  const plans = [];
  for await (const plan of plansOf(store.raw, here)) plans.push(plan);
  const taken = compileUndo(historyOf(plans), null);
  if (taken.kind !== "draft") throw new Error(taken.kind);
  const undone = await applyDraft(store.raw, here, taken.draft, { env: DOOR_ENV });
  expect(undone).toMatchObject({ kind: "done", conflicts: [] });
  expect(treeOf(repo.root)).toEqual(before);
  expect(gitState(repo)).toEqual(state);
  return outcome.paths.length;
}
