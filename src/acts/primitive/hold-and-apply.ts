/**
 * How every act is done once somebody agreed to what `planDraft` showed: the bytes it will put are in the store before the plan
 * is made, those that a commit alone has are brought there; then it is applied.
 */
import { RefloatError } from "../../model/errors.ts";
import { isSameState } from "../../model/path-state.ts";
import type { Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { storeSink } from "../../workspace/files/contents-sink.ts";
import { headStates } from "../../workspace/git/head-states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { PathPut, PlanDraft } from "../plans/draft.ts";
import { type AppliedAct, type ApplyOptions, applyDraft } from "./apply-draft.ts";

export interface AgreedDraft {
  readonly draft: PlanDraft;
  /** The commit that has bytes the store may not have yet. */
  readonly commit: string | null;
  /** Groups the plan leaves whole: nothing of them is put, and nothing is asked of their bytes. */
  readonly untouched?: readonly string[];
  /** Makes what is made last, once the bytes are held: the commit that reverses one (W2), and the draft that names it. */
  readonly write?: (() => Promise<PlanDraft>) | undefined;
}

/** Throws E_NO_CONTENT before anything is changed when bytes are nowhere any more. */
export async function holdAndApply(
  store: Store,
  workspace: Workspace,
  { draft, commit, untouched = [], write }: AgreedDraft,
  options: ApplyOptions,
): Promise<AppliedAct> {
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const left = new Set(untouched);
  const changing = draft.puts.filter(
    ({ group, expect, put }) => !left.has(group) && !isSameState(expect, put),
  );
  await holdPuts(store, repository, commit, changing);
  return applyDraft(store, workspace, write ? await write() : draft, options);
}

export async function holdPuts(
  store: Store,
  repository: Repository | null,
  commit: string | null,
  puts: readonly PathPut[],
): Promise<void> {
  const missing: PathPut[] = [];
  for (const one of puts) {
    const hash = one.put?.hash;
    if (hash && !(await store.driver.readContent(hash))) missing.push(one);
  }
  if (missing.length === 0) return;
  const paths = missing.map(({ path }) => path);
  const held =
    repository && commit !== null
      ? await headStates(repository, commit, paths, { sink: storeSink(store) })
      : new Map<string, never>();
  const lost = missing.find(({ path, put }) => {
    const found = held.get(path);
    return found?.kind !== "read" || found.state?.hash !== put?.hash;
  });
  if (lost) throw new RefloatError("E_NO_CONTENT", { hash: shownPath(lost.path) });
}
