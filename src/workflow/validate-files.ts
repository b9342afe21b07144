/** Validating files as they lie on disk: reads each once, and its companion where there is one. Changes nothing. */
import { lstatSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ensureError } from "../model/errors.ts";
import type { Clock } from "../platform/clock.ts";
import { errnoOf } from "../platform/io-error.ts";
import { shellLineWord, shellWord } from "../text/escape.ts";
import { lineOf, nodeAt, readJsonTree } from "../text/json-tree.ts";
import { identityOf } from "./claim-ids.ts";
import type { StoreClaims } from "./holders.ts";
import type { KnownLog } from "./kept-log.ts";
import { leftOf } from "./lost-state.ts";
import { createShapeReader } from "./read-config.ts";
import type { StateFinding, SubjectSurroundings } from "./rule.ts";
import { linkRemedy } from "./state-files-on-disk.ts";
import { artifactLookup, createFolderNames, type FolderNames, handoffOf } from "./state-paths.ts";
import type { WorkflowShape } from "./step-list.ts";
import { validateText } from "./validate.ts";

export interface ValidateOptions {
  readonly clock: Clock;
  /** The store's claims on a file's steps; left out: no store is asked. */
  readonly claims?: (file: string) => StoreClaims;
  /** The decision log of a file as the store knows it; left out: no store is asked. */
  readonly log?: (file: string) => KnownLog | null;
  readonly onProgress?: (done: number) => void;
}

export function validateFiles(files: readonly string[], options: ValidateOptions): readonly StateFinding[] {
  const names = createFolderNames();
  const shapeFor = createShapeReader();
  const all: StateFinding[] = [];
  const known = { names, shapeFor };
  let done = 0;
  for (const file of files) {
    for (const finding of validateFile(resolve(file), file, known, options)) all.push(finding);
    options.onProgress?.(++done);
  }
  return all;
}

interface FolderFacts {
  readonly names: FolderNames;
  readonly shapeFor: (file: string) => WorkflowShape;
}

function validateFile(
  path: string,
  file: string,
  { names, shapeFor }: FolderFacts,
  { clock, claims, log }: ValidateOptions,
): readonly StateFinding[] {
  const read = readText(path);
  if (read.kind === "failed") {
    const command = remedyFor(read.code, shellWord(file));
    const message = read.code === "ENOENT" ? goneText(path, log?.(path) != null) : read.why;
    return [{ severity: "error", rule: "unreadable", path: "", message, command, file }];
  }
  const around = surroundingsOf(path, names, {
    shape: shapeFor(path),
    nowMs: clock.nowMs(),
    claims: claims?.(path) ?? null,
    log: log?.(path) ?? null,
  });
  const { findings } = validateText(file, read.text, around);
  return [...linkFindings(path, file), ...findings];
}

/** Commands read through a link and write through none: what refuses them is said before they do. */
function linkFindings(path: string, file: string): StateFinding[] {
  if (!lstatSync(path).isSymbolicLink()) return [];
  const message = "It is a symbolic link: no command writes through it.";
  return [{ severity: "error", rule: "unreadable", path: "", message, command: linkRemedy(file), file }];
}

/** `path` is absolute. */
export function surroundingsOf(
  path: string,
  names: FolderNames,
  known: Pick<SubjectSurroundings, "shape" | "nowMs" | "claims" | "log">,
): SubjectSurroundings {
  const { shape, nowMs, claims, log = null } = known;
  return {
    shape,
    nowMs,
    claims,
    log,
    handoff: once(() => handoffText(path, names)),
    hasArtifact: artifactLookup(path, names),
  };
}

/** `isKept`: the store has versions of it. One that was removed for good is forgotten by order, and not before. */
function goneText(path: string, isKept: boolean): string {
  const left = leftOf(path, []);
  if (left !== null) return `It is gone; ${left}.`;
  if (!isKept) return "It is not there.";
  const forget = `refloat forget ${shellLineWord(identityOf(path).session)} --reason WHY`;
  return `It is gone; left of it: its newest version in the store. Where that was meant: \`${forget}\``;
}

/** Two rules ask, and the file is read once. */
function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

/** Null: there is none, or it cannot be read. */
function handoffText(path: string, names: FolderNames): string | null {
  const companion = handoffOf(path);
  if (!names.has(dirname(companion), basename(companion))) return null;
  const read = readText(companion);
  return read.kind === "read" ? read.text : null;
}

export type ReadText =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string; readonly code: string | null };

export function readText(path: string): ReadText {
  try {
    return { kind: "read", text: readFileSync(path, "utf8") };
  } catch (thrown) {
    const why = `It cannot be read: ${ensureError(thrown).message}.`;
    return { kind: "failed", why, code: errnoOf(thrown) };
  }
}

/** A file nobody may read is not damaged, and a folder in its place is somebody's: neither is overwritten. */
function remedyFor(code: string | null, file: string): string {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `chmod u+rw ${file}`;
    case "EISDIR":
      return `mv ${file} ${file}.aside && refloat state repair ${file}`;
    default:
      return `refloat state repair ${file}`;
  }
}

/** On which line each finding stands. Looked up when findings are shown to people: most runs have none to show. */
export interface PlacedFinding extends StateFinding {
  readonly line: number;
}

export function withLines(findings: readonly StateFinding[]): readonly PlacedFinding[] {
  let last: { readonly file: string; readonly line: (path: string) => number } | null = null;
  return findings.map((finding) => {
    if (last?.file !== finding.file) last = { file: finding.file, line: linesIn(finding.file) };
    return { ...finding, line: last.line(finding.path) };
  });
}

function linesIn(file: string): (path: string) => number {
  const read = readText(file);
  if (read.kind === "failed") return () => 1;
  const { text } = read;
  const tree = readJsonTree(text);
  if (tree.kind === "broken") return () => lineOf(text, tree.at).line;
  return (path) => lineOf(text, nodeAt(tree.root, path === "" ? [] : splitPlace(path)).start).line;
}

/** `steps.3.5.status` is step 3.5, not member 5 of step 3. */
function splitPlace(path: string): readonly string[] {
  const step = /^(steps|review_audit)\.((?:step_)?\d+[._]\d+)(?:\.(.*))?$/.exec(path);
  if (!step) return path.split(".");
  const [, root = "", key = "", rest] = step;
  return [root, key, ...(rest === undefined ? [] : rest.split("."))];
}
