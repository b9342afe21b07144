/**
 * The commands of a plain shell script: words, redirections and texts that stand in it, as far as every word of it is understood. A script
 * with anything else in it (a substitution, a group, something in the background) is none. Pure.
 */

export interface ShellWord {
  readonly text: string;
  /** Written as it is meant: no variable, no pattern. */
  readonly isPlain: boolean;
}

export interface ShellCommand {
  readonly words: ShellWord[];
  readonly writesTo: WrittenTo[];
  /** The text below it that it reads; null: none, or one in which something is put in. */
  input: string | null;
  /** How it hangs together with the one before. */
  readonly joint: "first" | "then" | "and" | "or" | "pipe";
}

export interface WrittenTo extends ShellWord {
  readonly isAppend: boolean;
  /** What it prints, not what it complains of. */
  readonly isOutput: boolean;
}

/** The commands of a script, in order; null: it has something in it that is not understood. */
export function readScript(script: string): readonly ShellCommand[] | null {
  const commands = [commandAfter("first")];
  const heredocs: Heredoc[] = [];
  let into: "words" | "writesTo" | "nothing" | "heredoc" = "words";
  let redirected = "";
  let at = 0;
  while (at < script.length) {
    const rest = script.slice(at, at + 3);
    const char = rest[0] ?? "";
    if (char === "\n") {
      const behind = afterHeredocs(script, at + 1, heredocs.splice(0));
      if (behind === null || into !== "words") return null;
      commands.push(commandAfter("then"));
      at = behind;
    } else if (char === " " || char === "\t") at += 1;
    else if (char === "#") at = lineEnd(script, at);
    else if (/^(?:&&|\|\|)/.test(rest)) {
      if (into !== "words") return null;
      commands.push(commandAfter(char === "&" ? "and" : "or"));
      at += 2;
    } else if (char === ";" || (char === "|" && rest[1] !== "&")) {
      if (into !== "words" || rest.startsWith(";;")) return null;
      commands.push(commandAfter(char === ";" ? "then" : "pipe"));
      at += 1;
    } else {
      const redirect = REDIRECT.exec(script.slice(at, at + 8))?.[0];
      if (redirect !== undefined) {
        if (into !== "words") return null;
        into = targetOf(redirect);
        redirected = redirect;
        at += redirect.length;
        continue;
      }
      const word = readWord(script, at);
      if (word === null) return null;
      const command = commands.at(-1) as ShellCommand;
      if (into === "heredoc")
        heredocs.push({
          end: word.text,
          isPlain: word.isQuoted,
          isIndented: redirected.endsWith("-"),
          command,
        });
      else if (into === "writesTo") command.writesTo.push({ ...word, ...redirection(redirected) });
      else if (into === "words") command.words.push(word);
      into = "words";
      at = word.end;
    }
  }
  return into === "words" && heredocs.length === 0 ? commands : null;
}

const commandAfter = (joint: ShellCommand["joint"]): ShellCommand => ({
  ...{ words: [], writesTo: [], input: null, joint },
});

const redirection = (redirect: string): Pick<WrittenTo, "isAppend" | "isOutput"> => ({
  isAppend: redirect.includes(">>"),
  isOutput: /^1?>/.test(redirect),
});

interface Heredoc {
  readonly end: string;
  readonly isPlain: boolean;
  /** Tabs before its lines are none of its text. */
  readonly isIndented: boolean;
  readonly command: ShellCommand;
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
function afterHeredocs(script: string, from: number, announced: readonly Heredoc[]): number | null {
  let at = from;
  for (const { end, isPlain, isIndented, command } of announced) {
    const text: string[] = [];
    for (;;) {
      if (at >= script.length) return null;
      const stop = lineEnd(script, at);
      const line = script.slice(at, stop);
      at = stop + 1;
      if (line.replace(/^\t+/, "") === end) {
        // A shell takes such a line for the text's own where tabs are not taken away.
        if (line !== end && !isIndented) return null;
        break;
      }
      if (!isPlain && /[`]|\$\(/.test(line)) return null;
      text.push(`${isIndented ? line.replace(/^\t+/, "") : line}\n`);
    }
    const whole = text.join("");
    command.input = isPlain || !/[$`\\]/.test(whole) ? whole : null;
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
