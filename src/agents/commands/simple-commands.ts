/**
 * The simple commands of a shell script, as far as they can be told from its text: what stands between `;`, `&&`, `|`, newlines and brackets,
 * those inside `$(...)`, backquotes and `sh -c '...'` too. It does not say what would run, only what might: branches, loops and functions
 * are gone through as if all of them ran. Pure.
 */

export interface CommandWord {
  readonly text: string;
  /** Written as it is meant: no variable, pattern or substitution in it. */
  readonly isPlain: boolean;
  /** Of it only the shell knows what it stands for, of patterns somebody who looks there. */
  readonly hasSubstitution: boolean;
}

export interface SimpleCommand {
  readonly words: readonly CommandWord[];
  /** The folders it changed into before, as written, one after the other; null: into one that nobody can tell. */
  readonly folders: readonly string[] | null;
  /** Another program gives it words, or a folder to stand in. */
  readonly isFed: boolean;
}

export type ReadCommands =
  | { readonly kind: "read"; readonly commands: readonly SimpleCommand[] }
  /** An open quote or bracket, or more than anybody types. */
  | { readonly kind: "unreadable" };

/** A longer command is a program. */
const MAX_CHARS = 64 * 1024;
/** Scripts inside scripts. */
const MAX_DEPTH = 8;

type Folders = readonly string[] | null;

interface Gathering {
  readonly commands: SimpleCommand[];
  folders: Folders;
}

class Unreadable extends Error {}

export function readCommands(script: string): ReadCommands {
  if (script.length > MAX_CHARS) return { kind: "unreadable" };
  return gathered((gathering) => readScript(script, gathering, 0));
}

/** Of words that stand for one command, as a program is given them that runs it. */
export const commandsOf = (words: readonly CommandWord[]): ReadCommands =>
  gathered((gathering) => endCommand(words, gathering, 0));

function gathered(read: (gathering: Gathering) => void): ReadCommands {
  const gathering: Gathering = { commands: [], folders: [] };
  try {
    read(gathering);
    return { kind: "read", commands: gathering.commands };
  } catch (thrown) {
    if (thrown instanceof Unreadable) return { kind: "unreadable" };
    throw thrown;
  }
}

function readScript(script: string, gathering: Gathering, depth: number): void {
  if (depth > MAX_DEPTH) throw new Unreadable();
  let words: CommandWord[] = [];
  const outer: Folders[] = [];
  const endOfCommand = (): void => {
    if (words.length > 0) endCommand(words, gathering, depth);
    words = [];
  };
  let at = 0;
  while (at < script.length) {
    const char = script[at] ?? "";
    if (char === "#" && (at === 0 || /[\s;|&()]/u.test(script[at - 1] ?? ""))) {
      at = endOfLine(script, at);
    } else if (char === "(") {
      words = withOpenLast(words, script[at - 1] ?? "");
      endOfCommand();
      outer.push(gathering.folders);
      at += 1;
    } else if (char === ")") {
      endOfCommand();
      // What a subshell changed into is its own.
      gathering.folders = outer.pop() ?? gathering.folders;
      at += 1;
    } else if (/[;|&\n]/u.test(char)) {
      endOfCommand();
      at += 1;
    } else if (/[<>]/u.test(char)) {
      if (/^\d+$/u.test(words.at(-1)?.text ?? "") && /\d/u.test(script[at - 1] ?? "")) words.pop();
      at = endOfRedirection(script, at, gathering, depth);
    } else if (/\s/u.test(char) || /^[{}](?:[\s;|&()]|$)/u.test(script.slice(at, at + 2))) {
      at += 1;
    } else if (char === "\\" && script[at + 1] === "\n") {
      at += 2;
    } else {
      const word = readWord(script, at, gathering, depth);
      words.push(word);
      at = word.end;
    }
  }
  endOfCommand();
}

/** `!(a|b)`, `*(.)`: a pattern that only some shells know, with what stands in its brackets. */
const withOpenLast = (words: CommandWord[], before: string): CommandWord[] => {
  const last = words.at(-1);
  if (last === undefined || words.length < 2 || !/[?*+@!]/u.test(before)) return words;
  return [...words.slice(0, -1), { ...last, isPlain: false, hasSubstitution: true }];
};

/** What it reads or writes is no operand. */
function endOfRedirection(script: string, from: number, gathering: Gathering, depth: number): number {
  let at = from;
  while (/[<>&|-]/u.test(script[at] ?? "")) at += 1;
  while (/[ \t]/u.test(script[at] ?? "")) at += 1;
  return /[\n;|&()]/u.test(script[at] ?? "\n") ? at : readWord(script, at, gathering, depth).end;
}

const endOfLine = (script: string, from: number): number => {
  const end = script.indexOf("\n", from);
  return end === -1 ? script.length : end;
};

interface ReadWord extends CommandWord {
  readonly end: number;
}

function readWord(script: string, from: number, gathering: Gathering, depth: number): ReadWord {
  let [text, isPlain, hasSubstitution, at] = ["", true, false, from];
  const inside = (body: string): void => {
    [isPlain, hasSubstitution] = [false, true];
    const own: Gathering = { commands: gathering.commands, folders: gathering.folders };
    readScript(body, own, depth + 1);
  };
  while (at < script.length) {
    const char = script[at] ?? "";
    if (/[\s;|&()<>]/u.test(char)) break;
    if (char === "'") {
      const end = script.indexOf("'", at + 1);
      if (end === -1) throw new Unreadable();
      text += script.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = readDoubleQuoted(script, at + 1, inside);
      text += quoted.text;
      isPlain &&= quoted.isPlain;
      hasSubstitution ||= quoted.hasSubstitution;
      at = quoted.end;
    } else if (char === "\\") {
      // A line that goes on is one line.
      if (script[at + 1] !== "\n") text += script[at + 1] ?? "";
      at += 2;
    } else if (char === "`" || (char === "$" && script[at + 1] === "(")) {
      const [body, end] = substitutionAt(script, at);
      inside(body);
      at = end;
    } else {
      if (/[$*?[\]~{]/u.test(char)) isPlain = false;
      if (char === "$") hasSubstitution = true;
      text += char;
      at += 1;
    }
  }
  return { text, isPlain, hasSubstitution, end: at };
}

function readDoubleQuoted(script: string, from: number, inside: (body: string) => void): ReadWord {
  let [text, isPlain, hasSubstitution, at] = ["", true, false, from];
  while (script[at] !== '"') {
    if (at >= script.length) throw new Unreadable();
    const char = script[at] ?? "";
    if (char === "\\") {
      text += script[at + 1] ?? "";
      at += 2;
    } else if (char === "`" || (char === "$" && script[at + 1] === "(")) {
      const [body, end] = substitutionAt(script, at);
      inside(body);
      [isPlain, hasSubstitution] = [false, true];
      at = end;
    } else {
      if (char === "$") [isPlain, hasSubstitution] = [false, true];
      text += char;
      at += 1;
    }
  }
  return { text, isPlain, hasSubstitution, end: at + 1 };
}

/** What stands in `$(...)` or backquotes, and where it is over. */
function substitutionAt(script: string, from: number): readonly [string, number] {
  if (script[from] === "`") {
    const end = script.indexOf("`", from + 1);
    if (end === -1) throw new Unreadable();
    return [script.slice(from + 1, end), end + 1];
  }
  let depth = 0;
  for (let at = from + 1; at < script.length; at += 1) {
    const char = script[at];
    if (char === "\\") at += 1;
    else if (char === "'") {
      at = script.indexOf("'", at + 1);
      if (at === -1) throw new Unreadable();
    } else if (char === "(") depth += 1;
    else if (char === ")") {
      depth -= 1;
      if (depth === 0) return [script.slice(from + 2, at), at + 1];
    }
  }
  throw new Unreadable();
}

/** Words of the shell's own that stand before a command. */
const BEFORE = new Set([
  "then",
  "do",
  "else",
  "elif",
  "if",
  "while",
  "until",
  "!",
  "time",
  "exec",
  "command",
  "builtin",
]);
/** Programs that start what they are given, with how many words their flags take. */
const STARTERS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    sudo: /^(?:-[a-zA-Z]*[ughpCTDRU]|--(?:user|group|host|prompt|chdir|chroot|close-from))$/u,
    doas: /^-(?:u|C)$/u,
    env: /^(?:-[a-z]*[uCS]|--(?:unset|chdir|split-string))$/u,
    nice: /^(?:-n|--adjustment)$/u,
    ionice: /^-(?:c|n|p)$/u,
    nohup: /^$/u,
    setsid: /^$/u,
    stdbuf: /^-(?:i|o|e)$/u,
    timeout: /^(?:-(?:s|k)|--(?:signal|kill-after))$/u,
    xargs:
      /^(?:-[0rtxpo]*[InPLdsEa]|--(?:max-args|max-procs|max-chars|delimiter|arg-file|process-slot-var))$/u,
    npx: /^$/u,
    busybox: /^$/u,
    parallel:
      /^(?:-[jPnNSaIdL]|--(?:jobs|max-args|arg-file|max-procs|colsep|delimiter|joblog|timeout|retries))$/u,
    chronic: /^$/u,
    strace: /^-(?:e|o|p|s)$/u,
  }),
);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]);

function endCommand(words: readonly CommandWord[], gathering: Gathering, depth: number): void {
  const { own, isFed } = withoutStarters(words);
  const [program, ...rest] = own;
  if (program === undefined) return;
  const name = program.text.replace(/^.*\//u, "");
  if (name === "cd" || name === "pushd") {
    gathering.folders = changedInto(gathering.folders, rest);
    return;
  }
  const script = isFed && /\s/u.test(program.text) ? program : scriptOf(name, rest);
  if (script === null) {
    gathering.commands.push({ words: own, folders: gathering.folders, isFed });
  } else if (script.isPlain) {
    const from = gathering.commands.length;
    readScript(script.text, gathering, depth + 1);
    if (isFed) for (const one of gathering.commands.splice(from)) gathering.commands.push({ ...one, isFed });
  } else {
    throw new Unreadable();
  }
}

/** Those that read words from elsewhere, and those of the others' flags that say where to stand. */
const FEEDERS = new Set(["xargs", "parallel"]);
const MOVING = /^(?:-[CD]|--chdir(?:=.*)?)$/su;

function withoutStarters(words: readonly CommandWord[]): {
  readonly own: readonly CommandWord[];
  readonly isFed: boolean;
} {
  let [at, isFed] = [0, false];
  while (at < words.length) {
    const { text } = words[at] ?? { text: "" };
    const name = text.replace(/^.*\//u, "");
    const takes = STARTERS.get(name);
    if (BEFORE.has(text) || /^[A-Za-z_]\w*\+?=/u.test(text)) at += 1;
    else if (takes !== undefined) {
      at += 1;
      isFed ||= FEEDERS.has(name);
      while (words[at]?.text.startsWith("-")) {
        isFed ||= MOVING.test(words[at]?.text ?? "");
        at += takes.test(words[at]?.text ?? "") ? 2 : 1;
      }
      if (name === "timeout" || name === "nice") at += /^\d/u.test(words[at]?.text ?? "") ? 1 : 0;
    } else break;
  }
  return { own: words.slice(at), isFed };
}

function changedInto(folders: Folders, rest: readonly CommandWord[]): Folders {
  const [to] = rest.filter(({ text }) => !/^-[LPe@]*$/u.test(text) || text === "-");
  if (folders === null || to === undefined || !to.isPlain || to.text === "-") return null;
  return [...folders, to.text];
}

/** The script that a shell is given as a word; null: it is no such command. */
function scriptOf(name: string, rest: readonly CommandWord[]): CommandWord | null {
  if (name === "eval")
    return {
      text: rest.map(({ text }) => text).join(" "),
      isPlain: rest.every(({ isPlain }) => isPlain),
      hasSubstitution: rest.some(({ hasSubstitution }) => hasSubstitution),
    };
  if (!SHELLS.has(name)) return null;
  const at = rest.findIndex(({ text }) => /^-[a-z]*c$/u.test(text));
  return at === -1 ? null : (rest[at + 1] ?? null);
}
