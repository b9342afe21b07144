/** One file of `init` or `uninstall`: what it is, what it is to be, and what was before us. Decides only; `apply-file.ts` does it. */
import { type ForeignFile, lookAtForeign } from "../../platform/foreign-file.ts";
import { isBareText } from "../../text/edit-json.ts";
import type { InstallFile, InstallForm } from "../words/install.ts";
import { hashOf, type Ledger, type LedgerNote } from "./ledger.ts";
import { putEntries, takeEntries } from "./merge.ts";

/** Settings are written by people; a file this large is something else, and is read whole and more than once (T5). */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;
/** A file changed by eight versions of us and by nobody else: older ones are forgotten (T5). */
const MAX_OURS = 8;
/** Of a file that was not there; a repository's are as git checks them out. */
const NEW_FILE = { user: 0o600, shell: 0o600, repo: 0o644, shared: 0o644 } as const;

/** Whose file it is, for the ledger and for a screen. */
export interface InstalledFor {
  readonly agent: string;
  readonly scope: LedgerNote["scope"];
}

export interface FileChange {
  readonly path: string;
  readonly target: string;
  readonly before: Buffer | null;
  /** null: it goes. */
  readonly after: Buffer | null;
  readonly mode: number;
}

export type PlannedFile = { readonly path: string; readonly what: string; readonly owner: InstalledFor } & (
  | { readonly kind: "same" }
  | { readonly kind: "refused"; readonly why: string }
  | {
      readonly kind: "change";
      readonly change: FileChange;
      readonly note: LedgerNote;
      readonly original: Buffer | null;
    }
);

export interface FilePlace {
  readonly ledger: Ledger;
  /** Where it must lie; null: anywhere. */
  readonly inside: string | null;
}

export function planInstall(
  file: InstallFile,
  owner: InstalledFor,
  { ledger, inside }: FilePlace,
): PlannedFile {
  const shown = { path: file.path, what: file.what, owner };
  const found = lookAtForeign(file.path, { maxBytes: MAX_SETTINGS_BYTES, inside });
  if (found.kind === "refused") return { ...shown, kind: "refused", why: found.why };
  const before = found.kind === "file" ? found.bytes : null;
  const text = before === null ? null : textOf(before);
  if (text === undefined) return { ...shown, kind: "refused", why: "it is not text in UTF-8" };
  const merged = putEntries(file.form, text);
  if (merged.kind === "refused") return { ...shown, kind: "refused", why: lineAnd(merged) };
  const after = Buffer.from(merged.text);
  if (before?.equals(after)) return { ...shown, kind: "same" };
  const known = ledger.noteOf(found.target);
  const { original, isKept } = originalOf(ledger, known, file.form.kind, before);
  const mode = found.kind === "file" ? found.mode : NEW_FILE[owner.scope];
  const note: LedgerNote = {
    ...{ version: 1, path: file.path, target: found.target, ...owner, form: file.form.kind, mode },
    original: original === null ? null : hashOf(original),
    ours: [...new Set([...(isKept ? (known?.ours ?? []) : []), hashOf(after)])].slice(-MAX_OURS),
    folders: [...new Set([...(isKept ? (known?.folders ?? []) : []), ...missingFolders(found)])],
  };
  const change = { path: file.path, target: found.target, before, after, mode };
  return { ...shown, kind: "change", change, note, original };
}

const missingFolders = (found: ForeignFile): readonly string[] =>
  found.kind === "missing" ? found.folders : [];

/**
 * What uninstalling is to give back. While nobody touched the file, what it was before we first came; else what it is now without us: so it
 * never gives back entries of ours, nor takes back what the user did in between.
 */
function originalOf(
  ledger: Ledger,
  known: LedgerNote | null,
  form: InstallForm["kind"],
  now: Buffer | null,
): { readonly original: Buffer | null; readonly isKept: boolean } {
  const hash = now === null ? null : hashOf(now);
  const isKept = known !== null && (hash === known.original || (hash !== null && known.ours.includes(hash)));
  const first = known === null ? null : ledger.original(known);
  if (isKept) return { original: first, isKept };
  const text = now === null ? null : (textOf(now) ?? null);
  if (text === null) return { original: null, isKept };
  const without = takeEntries(form, text, first === null ? null : (textOf(first) ?? null));
  if (without.kind === "gone") return { original: null, isKept };
  return { original: without.kind === "text" ? Buffer.from(without.text) : now, isKept };
}

/** What `uninstall` does with a file that the ledger names. */
export function planRemoval(note: LedgerNote, ledger: Ledger): PlannedFile {
  const { path, target, agent, scope } = note;
  const shown = { path, what: "", owner: { agent, scope } };
  const found = lookAtForeign(target, { maxBytes: MAX_SETTINGS_BYTES, inside: null });
  if (found.kind === "refused") return { ...shown, kind: "refused", why: found.why };
  if (found.kind === "missing") return { ...shown, kind: "same" };
  const hash = hashOf(found.bytes);
  if (hash === note.original) return { ...shown, kind: "same" };
  const original = ledger.original(note);
  const change = { path, target, before: found.bytes, mode: found.mode };
  if (note.ours.includes(hash))
    return {
      ...{ ...shown, kind: "change", what: original === null ? "removed" : "as it was", note, original },
      change: { ...change, after: original },
    };
  return withoutOurs(shown, note, change, original);
}

/** A file nobody noted: our entries go, wherever they came from. Null: there is none in it. */
export function planStrip(file: InstallFile, owner: InstalledFor): PlannedFile | null {
  const found = lookAtForeign(file.path, { maxBytes: MAX_SETTINGS_BYTES, inside: null });
  if (found.kind !== "file") return null;
  const { target, mode, bytes: before } = found;
  const form = file.form.kind;
  const note = {
    version: 1,
    path: file.path,
    target,
    ...owner,
    form,
    original: null,
    ours: [],
    mode,
    folders: [],
  } as const;
  const planned = withoutOurs(
    { path: file.path, what: "", owner },
    { ...note, ours: [], folders: [] },
    { path: file.path, target, before, mode },
    null,
  );
  return planned.kind === "same" || planned.kind === "refused" ? null : planned;
}

function withoutOurs(
  shown: { readonly path: string; readonly what: string; readonly owner: InstalledFor },
  note: LedgerNote,
  change: Omit<FileChange, "after"> & { readonly before: Buffer },
  original: Buffer | null,
): PlannedFile {
  const text = textOf(change.before);
  if (text === undefined) return { ...shown, kind: "refused", why: "it is not text in UTF-8" };
  const taken = takeEntries(note.form, text, original === null ? null : (textOf(original) ?? null));
  if (taken.kind === "refused") return { ...shown, kind: "refused", why: lineAnd(taken) };
  if (taken.kind === "text" && taken.text === text) return { ...shown, kind: "same" };
  // What we made and nobody put anything into goes as a whole.
  const isOurs = note.original === null && note.ours.length > 0;
  const isNothing = taken.kind === "gone" || (isOurs && isBareText(taken.text));
  const after = isNothing ? null : Buffer.from(taken.kind === "text" ? taken.text : "");
  const what = isNothing ? "removed" : "only ours taken out: it was changed since";
  return { ...shown, what, kind: "change", change: { ...change, after }, note, original };
}

const lineAnd = ({ line, why }: { readonly line: number | null; readonly why: string }): string =>
  line === null ? why : `line ${line}: ${why}`;

/** Undefined: no text. The byte order mark stays in it. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
