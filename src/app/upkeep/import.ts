/**
 * Takes an export or a bundle in. What is here is never replaced; where the two differ, the outcome says so. A bundle's session goes
 * on in the clone somebody stands in. Trust, verdicts and what a session said all come this way: not by a process under
 * a session's mark (T2).
 */
import { findBundle, type MoveOutcome, moveHere, takeIn } from "../../handoff/bundle/import-bundle.ts";
import type { SessionId } from "../../model/ids.ts";
import type { ImportResult } from "../../store/import.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import { type LinesFrom, readLines } from "./read-lines.ts";

export interface ImportOrder {
  /** An export's file, a bundle's folder; or the export itself, as it comes. */
  readonly from: LinesFrom;
  /** It is of the user's own store: its plans, verdicts, trust and commands count as his. */
  readonly isOwn: boolean;
  /** Its lines, where somebody has looked at the first of them already. */
  readonly lines?: AsyncIterable<string>;
}

export interface ImportOutcome {
  readonly result: ImportResult;
  /** Null: it was no bundle. */
  readonly bundle: { readonly session: SessionId; readonly moved: MoveOutcome } | null;
}

export async function importHere(
  at: AppPlace,
  { from, isOwn, lines: begun }: ImportOrder,
): Promise<ImportOutcome> {
  await assertNotJudged(at.env, (await at.findStore())?.raw ?? null, "take an export in");
  const bundle = typeof from === "string" ? findBundle(from) : null;
  const store = await at.openOrMakeStore();
  const lines = begun ?? readLines(bundle?.journal ?? from);
  const result = await takeIn(store.raw, lines, { only: bundle?.session ?? null, isOwn });
  if (!bundle) return { result, bundle: null };
  const { session } = bundle;
  const { workspace } = await workspaceHere(at, store);
  const came = { isNew: result.sessions > 0, leftOut: result.left_out };
  return { result, bundle: { session, moved: await moveHere(store.raw, session, workspace, came) } };
}
