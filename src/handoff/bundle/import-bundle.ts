/**
 * What a bundle tells whoever takes it in: whose it is. And where its session goes on: in the clone somebody stands in, if
 * that is of the same history; the record says from where to where, and nothing else of the journal changes (D2).
 */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ensureError, RefloatError } from "../../model/errors.ts";
import {
  type ContentHash,
  GATEWAY_PREFIX,
  IMPORTS_SESSION,
  parseId,
  type SessionId,
} from "../../model/ids.ts";
import { newRecord } from "../../session/new-record.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { type AtOnce, type ImportResult, importLines } from "../../store/import.ts";
import type { Store } from "../../store/store.ts";
import { isOwnJournal } from "../../workflow/own-journal.ts";
import { rootCommit, type Workspace } from "../../workspace/opening/workspace.ts";
import { markImported } from "../../workspace/sessions/imports.ts";
import { lastCaptureOf } from "../../workspace/sessions/workspace-sessions.ts";
import { BUNDLE_JOURNAL, BUNDLE_SCHEMA } from "./write-bundle.ts";

const bundleAbout = z.looseObject({
  schema: z.literal(BUNDLE_SCHEMA),
  session: z.looseObject({ id: z.string() }),
});

/** A manifest of tens of thousands of changes has some megabytes. */
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

export interface FoundBundle {
  readonly journal: string;
  readonly session: SessionId;
}

/** Null: the path is no folder, so no bundle. */
export function findBundle(path: string): FoundBundle | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return null;
  const journal = join(path, BUNDLE_JOURNAL);
  const manifest = join(path, "manifest.json");
  // Anything but a file could make us wait for ever, or read something else than a file.
  const sizes = [journal, manifest].map((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : null;
  });
  if (sizes.includes(null))
    throw new RefloatError("E_BAD_BUNDLE", { path, why: "manifest.json or journal.jsonl is missing" });
  if ((sizes[1] ?? 0) > MAX_MANIFEST_BYTES)
    throw new RefloatError("E_BAD_BUNDLE", { path, why: "its manifest.json is too large" });
  const parsed = bundleAbout.safeParse(parse(path, readFileSync(manifest, "utf8")));
  if (!parsed.success)
    throw new RefloatError(
      "E_BAD_BUNDLE",
      { path, why: "its manifest.json is not a bundle's" },
      parsed.error,
    );
  return { journal, session: sessionOf(path, parsed.data.session.id) };
}

/** What refloat's own journals say is done in the user's name: no bundle has one (T2). */
function sessionOf(path: string, id: string): SessionId {
  const why = "its session is not one that an agent had";
  if (speaksForUser(id)) throw new RefloatError("E_BAD_BUNDLE", { path, why });
  try {
    return parseId<SessionId>("session", id);
  } catch (thrown) {
    throw new RefloatError("E_BAD_BUNDLE", { path, why }, thrown);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new RefloatError(
      "E_BAD_BUNDLE",
      { path, why: `its manifest.json is not JSON: ${ensureError(thrown).message}` },
      thrown,
    );
  }
}

export type MoveOutcome =
  | { readonly kind: "moved"; readonly from: string; readonly to: string }
  | { readonly kind: "stays"; readonly why: string };

export interface MoveFacts {
  /** The session came with this import. */
  readonly isNew: boolean;
  /** Contents its records name and the bundle left out: the record says so, and nobody takes them for lost (T1). */
  readonly leftOut: readonly ContentHash[];
}

export async function moveHere(
  store: Store,
  session: SessionId,
  workspace: Workspace,
  { isNew, leftOut }: MoveFacts,
): Promise<MoveOutcome> {
  const row = await store.session(session);
  const from = workspaceIn(row);
  if (!row || from === workspace.root) return { kind: "stays", why: "it is of this workspace already" };
  const isAtHome = statSync(from, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isNew && isAtHome) return { kind: "stays", why: `its workspace is on this machine: ${from}` };
  const theirs = lastCaptureOf(row)?.rootCommit ?? null;
  const ours = workspace.kind === "git" ? await rootCommit(await workspace.repository()) : null;
  if (theirs !== ours) return { kind: "stays", why: "this folder is not a clone of the same repository" };
  const body = { from, to: workspace.root, reason: "it came in a bundle", left_out: [...leftOut] };
  await store.append(session, "anyone", [newRecord(store.clock, "session.moved", body)]);
  return { kind: "moved", from, to: workspace.root };
}

// Takes an export or a bundle in. Whoever made it may be anybody: what it brings is told apart from what was said here, and
// the journals in which refloat keeps the user's own word (plans, verdicts, trust, a workflow's state, a gateway's
// deliveries) do not come, because the next start would act on them in his name (T2). `isOwn`: he says that it is his.

/** What the next start would act on in the user's name. A gateway's journal is shown like a session and is no agent's either. */
export const speaksForUser = (id: string): boolean => isOwnJournal(id) || id.startsWith(GATEWAY_PREFIX);

interface TakeInOptions {
  /** The one session a bundle may bring. */
  readonly only: SessionId | null;
  readonly isOwn: boolean;
  /** It comes whole or not at all. */
  readonly atOnce?: AtOnce;
}

export function takeIn(
  store: Store,
  lines: AsyncIterable<string>,
  { only, isOwn, atOnce }: TakeInOptions,
): Promise<ImportResult> {
  const one = { ...(only === null ? {} : { only }), ...(atOnce ? { atOnce } : {}) };
  if (isOwn) return importLines(store, lines, { ...one, leavesOut: (id) => id === IMPORTS_SESSION });
  return importLines(store, lines, {
    ...one,
    leavesOut: speaksForUser,
    onTaking: (range) => markImported(store, range),
  });
}
