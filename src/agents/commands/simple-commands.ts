/**
 * The simple commands of a shell script, as far as they can be told from its text: what stands between `;`, `&&`, `|`, newlines and brackets,
 * those inside `$(...)`, backquotes and `sh -c '...'` too. It does not say what would run, only what might: branches, loops and functions
 * are gone through as if all of them ran. Pure.
 */

export interface CommandWord {
  readonly text: string;
  /** Written as it is meant: no variable, pattern or substitution in it. */
  readonly isPlain: boolean;
}

export interface SimpleCommand {
  readonly words: readonly CommandWord[];
  /** The folders it changed into before, as written, one after the other; null: into one that nobody can tell. */
  readonly folders: readonly string[] | null;
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
  const gathering: Gathering = { commands: [], folders: [] };
  try {
    readScript(script, gathering, 0);
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
    } else if (/[\s<>]/u.test(char) || /^[{}](?:[\s;|&()]|$)/u.test(script.slice(at, at + 2))) {
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

const endOfLine = (script: string, from: number): number => {
  const end = script.indexOf("\n", from);
  return end === -1 ? script.length : end;
};

interface ReadWord extends CommandWord {
  readonly end: number;
}

function readWord(script: string, from: number, gathering: Gathering, depth: number): ReadWord {
  let [text, isPlain, at] = ["", true, from];
  const inside = (body: string): void => {
    isPlain = false;
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
      text += char;
      at += 1;
    }
  }
  return { text, isPlain, end: at };
}

function readDoubleQuoted(script: string, from: number, inside: (body: string) => void): ReadWord {
  let [text, isPlain, at] = ["", true, from];
  while (script[at] !== '"') {
    if (at >= script.length) throw new Unreadable();
    const char = script[at] ?? "";
    if (char === "\\") {
      text += script[at + 1] ?? "";
      at += 2;
    } else if (char === "`" || (char === "$" && script[at + 1] === "(")) {
      const [body, end] = substitutionAt(script, at);
      inside(body);
      isPlain = false;
      at = end;
    } else {
      if (char === "$") isPlain = false;
      text += char;
      at += 1;
    }
  }
  return { text, isPlain, end: at + 1 };
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
    sudo: /^-(?:u|g|h|p|C|T|D|R)$/u,
    doas: /^-(?:u|C)$/u,
    env: /^-(?:u|C|S)$/u,
    nice: /^-n$/u,
    ionice: /^-(?:c|n|p)$/u,
    nohup: /^$/u,
    setsid: /^$/u,
    stdbuf: /^-(?:i|o|e)$/u,
    timeout: /^-(?:s|k)$/u,
    xargs: /^-(?:I|i|n|P|L|d|s|E|a)$/u,
    npx: /^$/u,
    busybox: /^$/u,
    parallel: /^-(?:j|P|n|N|S)$/u,
    chronic: /^$/u,
    strace: /^-(?:e|o|p|s)$/u,
  }),
);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]);

function endCommand(words: readonly CommandWord[], gathering: Gathering, depth: number): void {
  const own = withoutStarters(words);
  const [program, ...rest] = own;
  if (program === undefined) return;
  const name = program.text.replace(/^.*\//u, "");
  if (name === "cd" || name === "pushd") {
    gathering.folders = changedInto(gathering.folders, rest);
    return;
  }
  const script = scriptOf(name, rest);
  if (script === null) {
    gathering.commands.push({ words: own, folders: gathering.folders });
  } else if (script.isPlain) {
    readScript(script.text, gathering, depth + 1);
  } else {
    throw new Unreadable();
  }
}

function withoutStarters(words: readonly CommandWord[]): readonly CommandWord[] {
  let at = 0;
  while (at < words.length) {
    const { text } = words[at] ?? { text: "" };
    const name = text.replace(/^.*\//u, "");
    const takes = STARTERS.get(name);
    if (BEFORE.has(text) || /^[A-Za-z_]\w*\+?=/u.test(text)) at += 1;
    else if (takes !== undefined) {
      at += 1;
      while (words[at]?.text.startsWith("-")) at += takes.test(words[at]?.text ?? "") ? 2 : 1;
      if (name === "timeout" || name === "nice") at += /^\d/u.test(words[at]?.text ?? "") ? 1 : 0;
    } else break;
  }
  return words.slice(at);
}

function changedInto(folders: Folders, rest: readonly CommandWord[]): Folders {
  const [to] = rest.filter(({ text }) => !/^-[LPe@]*$/u.test(text) || text === "-");
  if (folders === null || to === undefined || !to.isPlain || to.text === "-") return null;
  return [...folders, to.text];
}

/** The script that a shell is given as a word; null: it is no such command. */
function scriptOf(name: string, rest: readonly CommandWord[]): CommandWord | null {
  if (name === "eval")
    return { text: rest.map(({ text }) => text).join(" "), isPlain: rest.every(({ isPlain }) => isPlain) };
  if (!SHELLS.has(name)) return null;
  const at = rest.findIndex(({ text }) => /^-[a-z]*c$/u.test(text));
  return at === -1 ? null : (rest[at + 1] ?? null);
}
