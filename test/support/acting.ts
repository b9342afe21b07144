/** A repository, a store, and acts of the one primitive on it: drafts made from what is there and what should be. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { inverseOf } from "../../src/acts/compilers/undo.ts";
import type { PathPut, PlanDraft } from "../../src/acts/plans/draft.ts";
import type { ActOutcome } from "../../src/acts/plans/outcome.ts";
import { findPlan, type Plan } from "../../src/acts/plans/plans.ts";
import { type ApplyOptions, applyDraft } from "../../src/acts/primitive/apply-draft.ts";
import { stateAt } from "../../src/acts/primitive/tree/state-at.ts";
import { type PathName, pathToBytes } from "../../src/model/path-name.ts";
import type { PathState, PresentState } from "../../src/model/path-state.ts";
import type { Store } from "../../src/store/store.ts";
import type { Workspace } from "../../src/workspace/opening/workspace.ts";
import { type Capturing, capturing } from "./capturing.ts";
import { DOOR_ENV, type TestRepository } from "./git-repository.ts";

export interface Acting extends Capturing {
  readonly raw: Store;
  readonly here: Workspace;
  /** What is at the path now. */
  now(path: string): PathState;
  /** A state with its bytes in the store. */
  file(text: string | Uint8Array, mode?: number): Promise<PresentState>;
  link(target: string): Promise<PresentState>;
  /** From what is there now to `put`. */
  to(path: string, put: PathState, group?: string): PathPut;
  apply(
    draft: Partial<PlanDraft> & Pick<PlanDraft, "puts">,
    options?: Partial<ApplyOptions>,
  ): Promise<ActOutcome>;
  done(draft: Partial<PlanDraft> & Pick<PlanDraft, "puts">): Promise<Plan>;
  undo(plan: Plan): Promise<ActOutcome>;
}

export const FOLDER: PresentState = { kind: "directory", mode: 0o755, size: 0, hash: null };

export async function acting(repo?: TestRepository): Promise<Acting> {
  const base = await capturing(repo);
  const raw = base.store.raw;
  const here = base.workspace();
  const hold = async (bytes: Uint8Array): Promise<PresentState["hash"]> => (await raw.putContent(bytes)).hash;
  const now = (path: string): PathState => {
    const seen = stateAt(Buffer.concat([Buffer.from(`${here.root}/`), pathToBytes(path as PathName)]));
    return seen.kind === "state" ? seen.state : null;
  };
  const apply: Acting["apply"] = (draft, options = {}) =>
    applyDraft(raw, here, { act: "restore", session: base.session, ...draft }, { env: DOOR_ENV, ...options });
  return {
    ...base,
    raw,
    here,
    now,
    file: async (text, mode = 0o644) => {
      const bytes = Buffer.from(text);
      return { kind: "file", mode, size: bytes.length, hash: await hold(bytes) };
    },
    link: async (target) => {
      const bytes = Buffer.from(target);
      return { kind: "symlink", mode: 0o777, size: bytes.length, hash: await hold(bytes), target };
    },
    to: (path, put, group = "g") => ({ path: path as PathName, group, expect: now(path), put }),
    apply,
    done: async (draft) => {
      const outcome = await apply(draft);
      const plan = outcome.kind === "done" ? await findPlan(raw, here, outcome.plan) : null;
      if (!plan) throw new Error(`not done: ${JSON.stringify(outcome)}`);
      return plan;
    },
    undo: (plan) => apply({ act: "undo", undoes: plan.id, ...inverseOf(plan) }),
  };
}

/** What undo must bring back (S5): kinds, bytes, permission bits and link targets of everything but git's own folder. */
export function treeOf(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (folder: Buffer, shown: string): void => {
    for (const name of readdirSync(folder, { encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), name]);
      const label = `${shown}${name.toString("latin1")}`;
      if (label === ".git") continue;
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[label] = `link ${readlinkSync(path, { encoding: "latin1" })}`;
      else if (stat.isDirectory()) found[label] = `folder ${mode}`;
      else if (stat.isFile())
        found[label] = `file ${mode} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
      else found[label] = "special";
      if (stat.isDirectory()) visit(path, `${label}/`);
    }
  };
  visit(Buffer.from(root), "");
  return found;
}

export const slotsIn = (root: string): string[] =>
  Object.keys(treeOf(root)).filter((path) => /(?:^|\/)\.refloat-/.test(path));

export const gitState = (repo: TestRepository): string[] => [
  repo.git("ls-files", "-s", "-v"),
  repo.git("for-each-ref"),
  readFileSync(join(repo.root, ".git/HEAD"), "utf8"),
];
