/**
 * Which files a shell command may have written, told from its words alone. `named` and `nothing` only where every program in it is known
 * to write no other file than those it is given and every word is plain; whatever is not understood may have written anything. Pure.
 */
import { posix } from "node:path";

export type CommandReach =
  | { readonly kind: "nothing" }
  /** These files, and what lies in these folders, as the command names them. */
  | { readonly kind: "named"; readonly words: readonly string[] }
  /** `isLasting`: it may go on writing after the command is over. */
  | { readonly kind: "anything"; readonly isLasting: boolean };

/** A longer command is a program. */
const MAX_CHARS = 16 * 1024;

interface ShellWord {
  readonly text: string;
  /** Written as it is meant: no variable, no pattern. */
  readonly isPlain: boolean;
}
interface Command {
  readonly words: ShellWord[];
  readonly writesTo: ShellWord[];
}

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
function namedBy({ words, writesTo }: Command): readonly ShellWord[] | null {
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

/** The commands of a script, in order; null: it has something in it that is not understood. */
function readScript(script: string): readonly Command[] | null {
  const commands: Command[] = [{ words: [], writesTo: [] }];
  const heredocs: { readonly end: string; readonly isPlain: boolean }[] = [];
  let into: "words" | "writesTo" | "nothing" | "heredoc" = "words";
  let at = 0;
  while (at < script.length) {
    const rest = script.slice(at, at + 3);
    const char = rest[0] ?? "";
    if (char === "\n") {
      const behind = afterHeredocs(script, at + 1, heredocs.splice(0));
      if (behind === null || into !== "words") return null;
      commands.push({ words: [], writesTo: [] });
      at = behind;
    } else if (char === " " || char === "\t") at += 1;
    else if (char === "#") at = lineEnd(script, at);
    else if (/^(?:&&|\|\|)/.test(rest)) {
      if (into !== "words") return null;
      commands.push({ words: [], writesTo: [] });
      at += 2;
    } else if (char === ";" || (char === "|" && rest[1] !== "&")) {
      if (into !== "words" || rest.startsWith(";;")) return null;
      commands.push({ words: [], writesTo: [] });
      at += 1;
    } else {
      const redirect = REDIRECT.exec(script.slice(at, at + 8))?.[0];
      if (redirect !== undefined) {
        if (into !== "words") return null;
        into = targetOf(redirect);
        at += redirect.length;
        continue;
      }
      const word = readWord(script, at);
      if (word === null) return null;
      if (into === "heredoc") heredocs.push({ end: word.text, isPlain: word.isQuoted });
      else if (into !== "nothing") commands.at(-1)?.[into].push(word);
      into = "words";
      at = word.end;
    }
  }
  return into === "words" && heredocs.length === 0 ? commands : null;
}

/** `2>&1` and its like are whole; the others want a word. */
const REDIRECT = /^(?:\d?>&\d(?=[\s;|&]|$)|\d?>>?\|?(?!&|\()|&>>?|\d?<<<|\d?<<-?|\d?<(?![<(&]))/;

function targetOf(redirect: string): "words" | "writesTo" | "nothing" | "heredoc" {
  if (/>&\d$/.test(redirect)) return "words";
  if (redirect.includes(">")) return "writesTo";
  return /<<-?$/.test(redirect) ? "heredoc" : "nothing";
}

function lineEnd(script: string, from: number): number {
  const end = script.indexOf("\n", from);
  return end === -1 ? script.length : end;
}

/** Behind the texts that were announced on the line before; null: one has no end, or runs commands. */
function afterHeredocs(
  script: string,
  from: number,
  announced: readonly { readonly end: string; readonly isPlain: boolean }[],
): number | null {
  let at = from;
  for (const { end, isPlain } of announced) {
    for (;;) {
      if (at >= script.length) return null;
      const stop = lineEnd(script, at);
      const line = script.slice(at, stop);
      at = stop + 1;
      if (line.replace(/^\t+/, "") === end) break;
      if (!isPlain && /[`]|\$\(/.test(line)) return null;
    }
  }
  return Math.min(at, script.length);
}

interface ReadWord extends ShellWord {
  readonly end: number;
  readonly isQuoted: boolean;
}

/** Null: a substitution, a group, a background command, an open quote: it runs what is not seen here. */
function readWord(script: string, from: number): ReadWord | null {
  let [text, isPlain, isQuoted, at] = ["", true, false, from];
  for (; at < script.length; at++) {
    const char = script[at] ?? "";
    if (/[\s;|<>]/.test(char)) break;
    if (/[&()`]/.test(char)) return null;
    if (char === "'" || char === '"') {
      const end = quoteEnd(script, at);
      if (end === null) return null;
      const inside = script.slice(at + 1, end);
      if (char === '"') {
        if (/`|\$\(/.test(inside)) return null;
        if (/[$\\!]/.test(inside)) isPlain = false;
      }
      text += inside;
      isQuoted = true;
      at = end;
    } else if (char === "\\") {
      text += script[at + 1] ?? "";
      isPlain = false;
      at += 1;
    } else {
      if (char === "$" && (script[at + 1] === "(" || script[at + 1] === "{")) return null;
      if (/[$*?[\]{}~!=]/.test(char)) isPlain = false;
      text += char;
    }
  }
  // A sign that no word begins with and nobody took: it would be looked at for ever.
  return at === from ? null : { text, isPlain: isPlain && text !== "", isQuoted, end: at };
}

function quoteEnd(script: string, from: number): number | null {
  const quote = script[from];
  for (let at = from + 1; at < script.length; at++) {
    if (quote === '"' && script[at] === "\\") at += 1;
    else if (script[at] === quote) return at;
  }
  return null;
}
