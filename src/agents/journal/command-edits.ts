/**
 * What a command puts into files, where its words say every byte of it: `echo words >> file`, `printf '%s' words > file`, a text below it
 * (`cat > file <<'EOF'`), `sed -i 's/one/other/' file`, in the folder it stands in by then (`cd sub && ...`). Of other commands that say that they
 * write a file it is known that they changed it, and not how. What comes out is held against the file's bytes, so a shell that went
 * another way proves nothing (S3). Pure.
 */
import { posix } from "node:path";
import type { JsonObject } from "../../model/json.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { scriptOf } from "../codex/tool-calls.ts";
import { textAt } from "../words/fields.ts";
import { readScript, type ShellCommand, type ShellWord, type WrittenTo } from "../words/shell-script.ts";

/** A longer one is a program; texts below it may be files. */
const MAX_CHARS = 256 * 1024;

/** Where agents say which folder a command is to run in. */
const FOLDER_FIELDS = ["workdir", "cwd", "working_directory", "dir_path", "directory"] as const;

export function editsOfExecution(input: JsonObject): readonly KeptEdit[] {
  const script = scriptOf(input);
  if (script === null || script.length > MAX_CHARS) return [];
  const folder = FOLDER_FIELDS.flatMap((field) => textAt(input, field) ?? []).find((text) => text !== "");
  return editsOfScript(script, folder ?? "");
}

/** `folder`: what its relative names are relative to; "": the session's own. */
export function editsOfScript(script: string, folder: string): readonly KeptEdit[] {
  const edits: KeptEdit[] = [];
  let here: string | null = folder;
  // Behind an "or" nobody knows which of them ran.
  let isCertain = true;
  for (const command of readScript(script) ?? []) {
    if (command.joint === "or") isCertain = false;
    else if (command.joint === "then") isCertain = true;
    here = folderAfter(command, here);
    if (here === null) return edits;
    for (const edit of editsOf(command)) {
      const path = posix.isAbsolute(edit.path) ? edit.path : posix.join(here, edit.path);
      edits.push(isCertain ? { ...edit, path } : { kind: "unknown", path });
    }
  }
  return edits;
}

/** What puts a shell elsewhere in ways that are not seen here. */
const MOVERS: ReadonlySet<string> = new Set(["pushd", "popd", "source", ".", "eval", "exec", "set", "alias"]);

/** Null: not known. */
function folderAfter({ words, joint }: ShellCommand, here: string | null): string | null {
  const [program, to, ...more] = words;
  if (here === null || (program && MOVERS.has(program.text))) return null;
  if (program?.text !== "cd" || joint === "pipe") return here;
  if (!to?.isPlain || more.length > 0 || to.text.startsWith("-")) return null;
  return posix.isAbsolute(to.text) ? to.text : posix.join(here, to.text);
}

function editsOf(command: ShellCommand): readonly KeptEdit[] {
  const [program, ...rest] = command.words;
  const files = rest.filter(({ text, isPlain }) => isPlain && !text.startsWith("-"));
  const put = command.writesTo.flatMap((target) => putInto(command, target));
  switch (program?.text) {
    case "rm":
      return [...files.map(({ text }) => ({ kind: "delete" as const, path: text })), ...put];
    case "touch":
      return [...files.map(({ text }) => ({ kind: "append" as const, path: text, text: "" })), ...put];
    case "cp":
    case "install":
      return [...files.slice(-1).map(changed), ...put];
    case "mv":
    case "tee":
    case "truncate":
    case "patch":
      return [...files.map(changed), ...put];
    case "sed":
      return [...edited(rest), ...put];
    default:
      return put;
  }
}

const changed = ({ text }: ShellWord): KeptEdit => ({ kind: "unknown", path: text });

function putInto(command: ShellCommand, target: WrittenTo): readonly KeptEdit[] {
  const { text: path, isPlain, isAppend, isOutput } = target;
  if (!isPlain || path === "/dev/null" || path.startsWith("~")) return [];
  const text = isOutput && command.writesTo.length === 1 ? printedBy(command) : null;
  if (text === null) return [{ kind: "unknown", path }];
  return [isAppend ? { kind: "append", path, text } : { kind: "write", path, after: text }];
}

/** Null: not every byte of it stands there. */
function printedBy({ words: [program, ...rest], input, joint }: ShellCommand): string | null {
  if (rest.some(({ isPlain, text }) => !isPlain && text !== "")) return null;
  const texts = rest.map(({ text }) => text);
  switch (program?.text) {
    case "echo":
      return echoed(texts);
    case "printf":
      return printed(texts);
    case "cat":
      return texts.length === 0 && joint !== "pipe" ? input : null;
    default:
      return null;
  }
}

/** Some shells take a backslash for a sign of its own, and some do not. */
function echoed(words: readonly string[]): string | null {
  const isBare = words[0] === "-n";
  const said = isBare ? words.slice(1) : words;
  if (said[0]?.startsWith("-") || said.some((word) => word.includes("\\"))) return null;
  return said.join(" ") + (isBare ? "" : "\n");
}

/** `%s` for each word, or a text with line feeds and no other signs. */
function printed([format = "", ...words]: readonly string[]): string | null {
  if (format === "%s" || format === "%s\\n")
    return words.map((word) => word + (format === "%s" ? "" : "\n")).join("") || null;
  if (words.length > 0 || format.startsWith("-") || /%|\\(?!n)/.test(format)) return null;
  return format.replaceAll("\\n", "\n");
}

const SUBSTITUTION = /^s([/|#,])([^\\\n.*[\]^$+?(){}|&/#,]+)\1([^\\\n&/|#,]*)\1g?$/;

/** One plain text for another, on every line. A pattern, or anything but `-i`, is not repeated. */
function edited(rest: readonly ShellWord[]): readonly KeptEdit[] {
  const flags = rest.filter(({ text }) => text.startsWith("-")).map(({ text }) => text);
  if (!flags.some((flag) => flag.startsWith("-i") || flag === "--in-place")) return [];
  const [script, ...files] = rest.filter(({ text }) => !text.startsWith("-"));
  const named = files.filter(({ isPlain }) => isPlain);
  const [, , old, put] = SUBSTITUTION.exec(script?.isPlain ? script.text : "") ?? [];
  if (old === undefined || put === undefined || flags.some((flag) => !/^-[iEr]$/.test(flag)))
    return named.map(changed);
  return named.map(({ text }) => ({ kind: "replace", path: text, old, new: put, everywhere: true }));
}
