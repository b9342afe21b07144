/**
 * Codex's patches: as its own parser takes them (one refused line refuses the whole, and then nothing was done), and as its record of a
 * patch that was applied has them. A file it updates always ends with a line feed afterwards.
 */
import { posix } from "node:path";
import type { JsonObject } from "../../model/json.ts";
import { objectOf, textAt } from "../words/fields.ts";
import type { PatchHunk, PatchLine, RecordedEdit } from "../words/recorded-edit.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const HEADER = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = "*** Move to: ";
const AT_END = "*** End of File";

interface FilePatch {
  readonly kind: "Add" | "Delete" | "Update";
  readonly path: string;
  to: string | null;
  readonly added: string[];
  readonly hunks: { below: string[]; lines: PatchLine[]; isAtEnd?: boolean }[];
}

/** What a patch was to do; nothing for a text Codex would refuse. `folder`: what its paths are relative to, where the call says. */
export function editsOfPatch(text: string, folder: string | null): readonly RecordedEdit[] {
  const files = filesOf(withoutHeredoc(text.trim().split(/\r?\n/)));
  return (files ?? []).flatMap((file) => editsOfFile(file, (path) => within(folder, path)));
}

/** As Codex runs it out of a shell command: this and nothing else, in a folder or not. */
const IN_SHELL =
  /^\s*(?:cd\s+(?:'([^']+)'|"([^"$`\\]+)"|([^\s'"$`\\;&|]+))\s*&&\s*)?apply_?patch\s*<<-?\s*['"]?(\w+)['"]?[ \t]*\n([\s\S]*?)\n\4\s*$/;

export function editsOfCommand(command: string, folder: string | null): readonly RecordedEdit[] {
  const [, single, double, plain, , patch] = IN_SHELL.exec(command) ?? [];
  if (patch === undefined) return [];
  const into = single ?? double ?? plain;
  return editsOfPatch(patch, into === undefined ? folder : within(folder, into));
}

export const within = (folder: string | null, path: string): string =>
  folder === null || posix.isAbsolute(path) ? path : posix.join(folder, path);

function withoutHeredoc(lines: readonly string[]): readonly string[] {
  const isHeredoc = /^<<['"]?EOF['"]?$/.test(lines[0] ?? "") && (lines.at(-1) ?? "").endsWith("EOF");
  return isHeredoc ? lines.slice(1, -1) : lines;
}

function filesOf(lines: readonly string[]): readonly FilePatch[] | null {
  if (lines[0]?.trim() !== BEGIN || lines.at(-1)?.trim() !== END) return null;
  const files: FilePatch[] = [];
  for (const line of lines.slice(1, -1)) {
    const file = files.at(-1);
    const [, kind, path] = HEADER.exec(file?.kind === "Update" ? line.trimEnd() : line.trim()) ?? [];
    if (path !== undefined) {
      if (!isWhole(file)) return null;
      files.push({ kind: kind as FilePatch["kind"], path, to: null, added: [], hunks: [] });
    } else if (file === undefined) {
      if (!line.trim().startsWith("*** Environment ID:")) return null;
    } else if (!takeLine(file, line)) return null;
  }
  return isWhole(files.at(-1)) ? files : null;
}

/** An update without a line is none. */
const isWhole = (file: FilePatch | undefined): boolean =>
  file?.kind !== "Update" || (file.hunks.length > 0 && file.hunks.every(({ lines }) => lines.length > 0));

/** False: not a line of this kind of patch. */
function takeLine(file: FilePatch, line: string): boolean {
  switch (file.kind) {
    case "Add":
      if (line.startsWith("+")) file.added.push(line.slice(1));
      return line.startsWith("+");
    case "Delete":
      return false;
    case "Update":
      return takeUpdate(file, line);
  }
}

function takeUpdate(file: FilePatch, line: string): boolean {
  const bare = line.trimEnd();
  const hunk = file.hunks.at(-1);
  const isContext = bare === "@@" || bare.startsWith("@@ ");
  if (hunk?.isAtEnd === true && !isContext) return bare === "";
  if (hunk === undefined && file.to === null && bare.startsWith(MOVE)) {
    file.to = bare.slice(MOVE.length);
    return true;
  }
  if (isContext) {
    if (hunk?.lines.length === 0) return false;
    file.hunks.push({ below: bare === "@@" ? [] : [bare.slice("@@ ".length)], lines: [] });
    return true;
  }
  if (bare === AT_END) {
    if (hunk !== undefined) hunk.isAtEnd = true;
    return hunk !== undefined;
  }
  const read = patchLine(line);
  if (read === null) return false;
  if (hunk === undefined) file.hunks.push({ below: [], lines: [read] });
  else hunk.lines.push(read);
  return true;
}

/** An empty line is a kept one whose space was lost. */
function patchLine(line: string): PatchLine | null {
  if (line === "") return { sign: " ", text: "" };
  const [sign] = line;
  return sign === " " || sign === "-" || sign === "+" ? { sign, text: line.slice(1) } : null;
}

function editsOfFile(file: FilePatch, place: (path: string) => string): readonly RecordedEdit[] {
  const path = place(file.path);
  switch (file.kind) {
    case "Add":
      return [{ kind: "write", path, after: file.added.map((line) => `${line}\n`).join("") }];
    case "Delete":
      return [{ kind: "delete", path }];
    case "Update":
      return patched(path, file.hunks, file.to === null ? null : place(file.to));
  }
}

const patched = (path: string, hunks: readonly PatchHunk[], to: string | null): readonly RecordedEdit[] => [
  { kind: "patch", path, hunks },
  ...(to === null ? [] : [{ kind: "move" as const, path, to }]),
];

/** What Codex recorded of a patch it applied: whole texts where it wrote or deleted, the true lines where it changed some. */
export function editsOfChanges(changes: JsonObject | null): readonly RecordedEdit[] {
  return Object.entries(changes ?? {}).flatMap(([path, value]): readonly RecordedEdit[] => {
    const change = objectOf(value);
    const content = textAt(change, "content");
    switch (change?.type) {
      case "add":
        return content === null ? [] : [{ kind: "write", path, after: content }];
      case "delete":
        return [{ kind: "delete", path, ...(content === null ? {} : { before: content }) }];
      case "update": {
        const hunks = hunksOfDiff(textAt(change, "unified_diff") ?? "");
        return hunks.length === 0 ? [] : patched(path, hunks, textAt(change, "move_path"));
      }
      default:
        return [];
    }
  });
}

/** Nothing where the diff says that a line feed is missing: these hunks cannot say it. */
function hunksOfDiff(diff: string): readonly PatchHunk[] {
  const hunks: { below: string[]; lines: PatchLine[] }[] = [];
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("@@ ")) hunks.push({ below: [], lines: [] });
    else {
      const read = patchLine(line);
      if (read === null) return [];
      hunks.at(-1)?.lines.push(read);
    }
  }
  return hunks.filter(({ lines }) => lines.length > 0);
}
