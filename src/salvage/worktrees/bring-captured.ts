/**
 * What a capture holds is put into the work tree that was just brought back, by a plan (S5). Only onto paths that are as
 * the commit has them: what somebody wrote there meanwhile stays (W5). What was staged is staged again where git still
 * has the bytes.
 */
import { compileBring, gatherBring } from "../../acts/compilers/bring.ts";
import { groupOf, wantedPaths } from "../../acts/compilers/put-back.ts";
import type { IndexEdit } from "../../acts/plans/draft.ts";
import { holdAndApply } from "../../acts/primitive/hold-and-apply.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import { lastCaptured } from "../../workspace/captures/captured-states.ts";
import { indexEntries, type StagedEntry } from "../../workspace/git/index-file.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { isSameObject, isStaged, type ReadEntry, type Reading } from "../../workspace/tree/reading.ts";

export interface BroughtFiles {
  readonly files: number;
  readonly gaps: readonly { readonly path: PathName; readonly why: string }[];
  readonly conflicts: readonly PathName[];
}

interface BringOrder {
  readonly removal: string;
  readonly session: SessionId;
  readonly capture: string;
  readonly env: Environment;
}

export async function bringCaptured(
  store: Store,
  linked: GitWorkspace,
  order: BringOrder,
): Promise<BroughtFiles> {
  const { session, capture, env, removal } = order;
  const captured = await lastCaptured(store, session, capture);
  if (!captured) throw new RefloatError("E_NO_CAPTURE", { what: capture });
  const repository = await linked.repository();
  const headId = captured.head?.id ?? null;
  const facts = await gatherBring(store, linked, { reading: captured.reading, headId }, env);
  const { puts, leftAlone } = compileBring(facts, wantedPaths([]));
  const index = await stagedAgain(repository, captured.reading);
  const draft = { act: "recreate", session, puts, index, data: { capture, removal } } as const;
  const outcome = await holdAndApply(store, linked, { draft, commit: headId }, { env });
  if (outcome.kind === "refused") throw outcome.error;
  const gaps = facts.compared.unknown;
  const isGap = ({ path }: { readonly path: PathName }): boolean => gaps.some((gap) => gap.path === path);
  const conflicts = [...leftAlone.filter((one) => !isGap(one)), ...outcome.conflicts].map(({ path }) => path);
  return { files: outcome.paths.length, gaps, conflicts };
}

/** Not in the middle of a merge: its stages mean nothing without what git keeps of it. */
async function stagedAgain(repository: Repository, { entries }: Reading): Promise<IndexEdit[]> {
  const wanted = entries.filter(isStaged);
  if (wanted.length === 0) return [];
  const now = await indexEntries(
    repository,
    wanted.map(({ path }) => path),
  );
  const missing = await missingObjects(repository, wanted);
  return wanted.flatMap(({ path, head = null, staged = [] }) => {
    const expect: readonly StagedEntry[] = now.get(path) ?? [];
    // Git kept an index of its own, or somebody staged something since: that is newer than the capture.
    if (!isSameObject(head, expect) || staged.some(({ id }) => missing.has(id))) return [];
    return [{ path, group: groupOf(path), expect, put: staged }];
  });
}

async function missingObjects(
  repository: Repository,
  entries: readonly ReadEntry[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(entries.flatMap(({ staged = [] }) => staged.map(({ id }) => id)))];
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(""));
  const output = await repository.run(["cat-file", "--batch-check"], { input });
  const lines = output.toString("latin1").split("\n");
  return new Set(lines.filter((line) => line.endsWith(" missing")).map((line) => line.split(" ")[0] ?? ""));
}
