/**
 * The brief for an agent that is told in no other way: in its command line `{handoff}` is its text and `{handoff-file}` its path,
 * which REFLOAT_HANDOFF_FILE names in its environment (DESIGN 10). The file is under the store's home, this user's only; one
 * per workspace and name.
 *
 * The text holds words of agents and tools, which are nobody's to run (T3): inside of a shell's script it is never put as text but
 * as a variable that the shell expands once and does not read again.
 */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { makePrivateDirectory, writeDurable } from "../../platform/durable-file.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { HandoffFile } from "../../supervise/loop.ts";
import { shellLineWord } from "../../text/escape.ts";
import type { RefloatStore } from "../store/open-store.ts";

export const HANDOFF_VARIABLE = "REFLOAT_HANDOFF_FILE";
/** What a shell's script is given instead of the text itself. */
const TEXT_VARIABLE = "REFLOAT_HANDOFF";
/** A word of a command line may have 128 KiB on Linux. */
const MAX_WORD_BYTES = 100_000;
const SHELL = /^(?:ba|da|z|k|a|mk|fi)?sh$/;

export interface HandoffPlace {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where somebody stands. */
  readonly stands: string;
  readonly workspace: string;
  readonly name: string;
}

/** By a hash: neither a path nor a name is ever part of a file's name. */
function fileOf({ home, workspace, name }: HandoffPlace): string {
  const key = createHash("sha256")
    .update(JSON.stringify([workspace, name]))
    .digest("hex")
    .slice(0, 24);
  return join(home, "handoffs", `${key}.md`);
}

/** `row`: the session to tell of; null: there is none, and the file is empty. */
export async function writeHandoffFile(
  store: RefloatStore,
  place: HandoffPlace,
  row: SessionRow | null,
): Promise<HandoffFile> {
  const file = fileOf(place);
  makePrivateDirectory(join(place.home, "handoffs"));
  const looking = {
    clock: store.raw.clock,
    env: place.env,
    home: place.home,
    stands: place.stands,
    isGoingOn: true,
  };
  // The judge comes with it: only where somebody is told of.
  const { briefOf } = await import("./session-brief.ts");
  const written = row ? await briefOf({ kind: "session", store, row }, looking) : null;
  const text = written?.brief.markdown ?? "";
  writeDurable(file, text);
  return { path: file, text, isEmpty: written === null };
}

export interface GivenHandoff {
  /** What is started. */
  readonly command: readonly string[];
  /** As it was typed: what is recorded, and filled anew by whoever goes on. */
  readonly typed: readonly string[];
  /** As it is shown, where that is neither: `{handoff}` stands for the text. */
  readonly shown?: readonly string[];
  readonly childEnv: Readonly<Record<string, string>>;
  /** Words that hold the brief among other lines, by their place: the file that has the word to the byte. */
  readonly wordFiles?: Readonly<Record<number, string>>;
  /** Its agent does not go on with a conversation of a folder that was moved: a new one is begun, with the brief. */
  readonly isAnewAfterMove?: true;
}

/** Written beside the brief, so that what is printed can be typed and is what would be started (T6). */
export function wordFiles(
  { command, shown = command }: Pick<GivenHandoff, "command" | "shown">,
  { path }: HandoffFile,
): Readonly<Record<number, string>> {
  const places = command.flatMap((word, at) =>
    shown[at]?.includes("{handoff}") && word !== shown[at] ? [at] : [],
  );
  return Object.fromEntries(
    places.map((at) => {
      const file = path.replace(/\.md$/, `-word-${at}.md`);
      writeDurable(file, command[at] ?? "");
      return [at, file];
    }),
  );
}

/** The word is a script that a shell reads: text put into it would be read as one, too. */
export const isShellScript = (words: readonly string[], at: number): boolean =>
  /^-[a-z]*c[a-z]*$/i.test(words[at - 1] ?? "") &&
  words.slice(0, at - 1).some((word) => SHELL.test(basename(word)));

/** It makes one line of its words, and a shell on the other machine reads that. */
const REMOTE = /^(?:ssh|rsh|mosh)$/;
/** Their `-c` is read by a shell that is not named. */
const SHELL_OF_ANOTHER = /^(?:su|runuser|script)$/;

/** The word is read by a shell that our environment does not reach, so no variable can stand for a text there. */
export const isBehindAnotherShell = (words: readonly string[], at: number): boolean =>
  words.slice(0, at).some((word) => REMOTE.test(basename(word))) ||
  (/^(?:-[a-z]*c|--(?:session-)?command)$/i.test(words[at - 1] ?? "") &&
    words.slice(0, at - 1).some((word) => SHELL_OF_ANOTHER.test(basename(word))));

/** Throws E_USAGE where the brief would become a part of what such a shell runs (T3). */
export function assertBriefWords(words: readonly string[], verbatim: ReadonlySet<number> = new Set()): void {
  const isRefused = (word: string, at: number): boolean =>
    word.includes("{handoff}") && !verbatim.has(at) && isBehindAnotherShell(words, at);
  if (words.some(isRefused))
    throw new RefloatError("E_USAGE", {
      why: "{handoff} cannot stand there: a shell on another machine, or of another user, would read it. Start refloat there, or hand the file over that {handoff-file} names.",
    });
}

/**
 * What the agent is started with: the brief where its command line asks for it, and its path in the environment. `verbatim`: places of
 * words that are somebody's text, and stay as they are.
 */
export function withHandoff(
  typed: readonly string[],
  file: HandoffFile,
  verbatim: ReadonlySet<number> = new Set(),
): GivenHandoff {
  assertBriefWords(typed, verbatim);
  const text = fitting(file);
  const isScript = (at: number): boolean => isShellScript(typed, at);
  const command = typed.map((word, at) =>
    verbatim.has(at)
      ? word
      : word
          .replaceAll("{handoff-file}", () => file.path)
          .replaceAll("{handoff}", () => (isScript(at) ? `\${${TEXT_VARIABLE}-}` : text)),
  );
  const isInScript = typed.some((word, at) => word.includes("{handoff}") && isScript(at));
  return {
    command,
    typed,
    childEnv: {
      ...(file.isEmpty ? {} : { [HANDOFF_VARIABLE]: file.path }),
      ...(isInScript ? { [TEXT_VARIABLE]: text } : {}),
    },
  };
}

/** A first session has nobody before it: the words would reach the model as they were typed. */
export function assertNothingToFill(command: readonly string[]): void {
  const found = ["{handoff}", "{handoff-file}"].find((name) => command.some((word) => word.includes(name)));
  if (found !== undefined)
    throw new RefloatError("E_USAGE", {
      why: `${found} stands for what the session before left, and \`run\` begins a new one. It is filled in by \`refloat loop -- COMMAND\` and by \`refloat resume\`; \`refloat handoff\` prints it.`,
    });
}

/** As it can be typed, with the text read from its file: a brief has many lines. */
export function typedWithHandoff(given: GivenHandoff): string {
  const { command, typed: first, shown, childEnv } = given;
  const typed = shown ?? first;
  const path = childEnv[HANDOFF_VARIABLE];
  const text = path === undefined ? '""' : `"$(cat ${shellLineWord(path)})"`;
  const env = Object.entries(childEnv).map(
    ([key, value]) => `${key}=${key === TEXT_VARIABLE ? text : shellLineWord(value)}`,
  );
  const words = typed.map((word, at) => {
    const started = command[at] ?? word;
    const file = given.wordFiles?.[at];
    if (file !== undefined) return `"$(cat ${shellLineWord(file)})"`;
    if (!word.includes("{handoff}") || started.includes(TEXT_VARIABLE)) return shellLineWord(started);
    const around = word.split("{handoff}").map((piece) => (piece === "" ? "" : shellLineWord(piece)));
    return around.join(text).replaceAll("{handoff-file}", path ?? "");
  });
  return [...env, ...words].join(" ");
}

function fitting({ text, path }: HandoffFile): string {
  if (Buffer.byteLength(text) <= MAX_WORD_BYTES) return text;
  const cut = Buffer.from(text).subarray(0, MAX_WORD_BYTES).toString("utf8");
  return `${cut.slice(0, cut.lastIndexOf("\n"))}\n\n(Cut here. All of it: ${path})\n`;
}
