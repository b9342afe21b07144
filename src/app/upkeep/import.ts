/**
 * Takes an export or a bundle in. What is here is never replaced; where the two differ, the outcome says so. A bundle's session goes
 * on in the clone somebody stands in. Trust, verdicts and what a session said all come this way: not by a process under
 * a session's mark (T2).
 */
import { createReadStream } from "node:fs";
import { findBundle, type MoveOutcome, moveHere, takeIn } from "../../handoff/bundle/import-bundle.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { MAX_BODY_BYTES } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { ImportResult } from "../../store/import.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";

export interface ImportOrder {
  /** An export's file, a bundle's folder; or the export itself, as it comes. */
  readonly from: string | AsyncIterable<Uint8Array>;
  /** It is of the user's own store: its plans, verdicts, trust and commands count as his. */
  readonly isOwn: boolean;
}

export interface ImportOutcome {
  readonly result: ImportResult;
  /** Null: it was no bundle. */
  readonly bundle: { readonly session: SessionId; readonly moved: MoveOutcome } | null;
}

export async function importHere(at: AppPlace, { from, isOwn }: ImportOrder): Promise<ImportOutcome> {
  await assertNotJudged(at.env, (await at.findStore())?.raw ?? null, "take an export in");
  const bundle = typeof from === "string" ? findBundle(from) : null;
  const store = await at.openOrMakeStore();
  const lines = readLines(bundle?.journal ?? from);
  const result = await takeIn(store.raw, lines, { only: bundle?.session ?? null, isOwn });
  if (!bundle) return { result, bundle: null };
  const { session } = bundle;
  const { workspace } = await workspaceHere(at, store);
  const came = { isNew: result.sessions > 0, leftOut: result.left_out };
  return { result, bundle: { session, moved: await moveHere(store.raw, session, workspace, came) } };
}

// The lines of an export. Only "\n" ends one: node:readline also breaks at U+2028, which may stand inside a JSON string. Bytes
// that are no UTF-8 are an error, never quietly replaced.

/** The largest record's body with every byte escaped in the shortest way, and room for the rest of its line. */
const MAX_LINE_BYTES = 4 * MAX_BODY_BYTES;
const NEWLINE = 0x0a;

async function* readLines(from: ImportOrder["from"]): AsyncGenerator<string> {
  let number = 0;
  let pending: Uint8Array[] = [];
  let size = 0;
  const finish = (): string => {
    const bytes = Buffer.concat(pending);
    pending = [];
    size = 0;
    return decode(bytes, ++number);
  };
  for await (const chunk of chunksOf(from)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      pending.push(chunk.subarray(from, at));
      yield finish();
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.byteLength;
    if (size > MAX_LINE_BYTES)
      throw new RefloatError("E_IMPORT", {
        line: number + 1,
        why: `it is longer than ${MAX_LINE_BYTES} bytes`,
      });
    if (rest.byteLength > 0) pending.push(rest);
  }
  if (pending.length > 0) yield finish();
}

async function* chunksOf(from: ImportOrder["from"]): AsyncGenerator<Uint8Array> {
  try {
    yield* typeof from === "string" ? createReadStream(from) : from;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    const path = typeof from === "string" ? from : "-";
    throw new RefloatError("E_NO_FILE", { path, why: ensureError(thrown).message }, thrown);
  }
}

function decode(bytes: Uint8Array, number: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new RefloatError("E_IMPORT", { line: number, why: "it is not UTF-8" }, thrown);
  }
}
