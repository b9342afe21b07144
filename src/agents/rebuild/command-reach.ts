/**
 * Which files a shell command may have written, told from its words alone. `named` and `nothing` only where every program in it is known
 * to write no other file than those it is given and every word is plain; whatever is not understood may have written anything. Pure.
 */
import { posix } from "node:path";
import { readScript, type ShellCommand, type ShellWord } from "../words/shell-script.ts";

export type CommandReach =
  | { readonly kind: "nothing" }
  /** These files, and what lies in these folders, as the command names them. */
  | { readonly kind: "named"; readonly words: readonly string[] }
  /** `isLasting`: it may go on writing after the command is over. */
  | { readonly kind: "anything"; readonly isLasting: boolean };

/** A longer command is a program. */
const MAX_CHARS = 16 * 1024;

/** Something is started beside it. */
const LASTS = /(?<![&>])&(?![&>])|\b(?:nohup|setsid|disown)\b/;

export function reachOfCommand(script: string): CommandReach {
  const read = script.length > MAX_CHARS ? null : readScript(script);
  const anything: CommandReach = { kind: "anything", isLasting: LASTS.test(script) };
  if (read === null) return anything;
  const words: string[] = [];
  for (const command of read) {
    const named = namedBy(command);
    if (named === null) return anything;
    for (const { text, isPlain } of named) {
      if (text === "/dev/null") continue;
      // The folder it stands in, or one above: nobody knows which that is.
      if (!isPlain || /^(?:\.\.?\/)*\.{0,2}\/?$/.test(text)) return anything;
      words.push(text);
    }
  }
  return words.length === 0 ? { kind: "nothing" } : { kind: "named", words };
}

/** Whether a word of a command may mean this file or a folder above it. Where the command stood is not known: any folder will do. */
export function mayMean(word: string, path: string): boolean {
  const plain = posix.normalize(word).replace(/\/$/, "");
  if (plain.startsWith("/")) return path === plain || path.startsWith(`${plain}/`);
  const name = plain.replace(/^(?:\.\.\/)+/, "");
  return path.endsWith(`/${name}`) || path.includes(`/${name}/`);
}

/** Programs that write no file, whatever they are given; those with a flag by which they do, with it. */
const READERS: ReadonlyMap<string, RegExp | null> = new Map([
  ...[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "pwd",
    "echo",
    "printf",
    "true",
    "false",
  ].map((name) => [name, null] as const),
  ...["test", "[", "stat", "file", "which", "whoami", "id", "uname", "sleep", "basename", "dirname"].map(
    (name) => [name, null] as const,
  ),
  ...["realpath", "readlink", "du", "df", "cut", "tr", "nl", "md5sum", "sha256sum", "cmp", "cd"].map(
    (name) => [name, null] as const,
  ),
  ["rg", /^--(?:pre|hostname-bin)/],
  ["tree", /^-.*o/],
  ["sort", /^-[^-]*o|^--output|^--compress/],
  ["diff", /^--output/],
  ["find", /^-(?:exec|ok|delete|fprint|fls)/],
  ["chmod", null],
]);

/** Of git's, those that change no file of the tree. */
const GIT_READERS: ReadonlySet<string> = new Set([
  "status",
  "diff",
  "log",
  "show",
  "rev-parse",
  "ls-files",
  "blame",
  "add",
]);

/** Programs that write only what they are given. */
const NAMED_WRITERS: ReadonlySet<string> = new Set([
  "rm",
  "mv",
  "cp",
  "touch",
  "mkdir",
  "rmdir",
  "tee",
  "truncate",
]);

/** What it may write; null: anything. */
function namedBy({ words, writesTo }: ShellCommand): readonly ShellWord[] | null {
  const [program, ...rest] = words;
  if (program === undefined) return writesTo;
  if (!program.isPlain) return null;
  const { text } = program;
  if (READERS.has(text)) {
    const writing = READERS.get(text) ?? null;
    return writing !== null && rest.some((word) => writing.test(word.text)) ? null : writesTo;
  }
  if (text === "git") return gitReads(rest) ? writesTo : null;
  if (text === "sed") return sedNamed(rest, writesTo);
  return NAMED_WRITERS.has(text) ? [...rest.filter(isNoFlag), ...writesTo] : null;
}

const isNoFlag = ({ text, isPlain }: ShellWord): boolean =>
  !isPlain || !text.startsWith("-") || text.includes("/");

function gitReads(rest: readonly ShellWord[]): boolean {
  const [command] = rest[0]?.text === "--no-pager" ? rest.slice(1) : rest;
  if (command === undefined || !GIT_READERS.has(command.text)) return false;
  return !rest.some(({ text }) => /^--(?:output|ext-diff|textconv|open)|^-O/.test(text));
}

/** One script, which only shows lines or puts one text for another: others can write where they want. */
const SED_SHOWS = /^\d+(?:,(?:\d+|\$))?p$/;
const SED_PUTS = /^s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gi0-9]*$/;

function sedNamed(rest: readonly ShellWord[], writesTo: readonly ShellWord[]): readonly ShellWord[] | null {
  const flags = rest.filter((word) => !isNoFlag(word)).map(({ text }) => text);
  const [script, ...files] = rest.filter(isNoFlag);
  if (script === undefined || flags.some((flag) => flag !== "-n" && flag !== "-i" && flag !== "-E"))
    return null;
  if (!SED_SHOWS.test(script.text) && !SED_PUTS.test(script.text)) return null;
  return flags.includes("-i") ? [...files, ...writesTo] : writesTo;
}
