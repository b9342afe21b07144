/**
 * What a call of `refloat op`, `decide` or `step` said where it could not write the store (a sandbox): told by its command and by the text
 * marker in its output, which must be the one that this very command prints. A marker in any other output is somebody's text and says
 * nothing (T2, T3). Pure.
 */
import { basename } from "node:path";
import { decidedText, markerLine, stepMarker } from "../../text/marker-line.ts";

export type SaidByCommand =
  | { readonly kind: "began"; readonly label: string; readonly paths: readonly string[] }
  /** `label`: null: the newest open one. */
  | { readonly kind: "ended"; readonly label: string | null; readonly isAborted: boolean }
  | {
      readonly kind: "decided";
      readonly key: string;
      readonly value: string;
      readonly reason: string | null;
      readonly step: string | null;
      /** The state file it is of, by the command's own word; null: the session's own. */
      readonly file: string | null;
    }
  | SaidStep;

const STEP_WORDS = ["start", "sub", "done", "skip", "reset"] as const;

export interface SaidStep {
  readonly kind: "step";
  readonly does: (typeof STEP_WORDS)[number];
  readonly step: string;
  /** Of `sub`: the part that is finished. */
  readonly part: string | null;
  readonly reason: string | null;
  readonly owner: string | null;
  readonly token: string | null;
  readonly artifacts: readonly string[];
  readonly context: readonly string[];
  readonly findings: readonly string[];
  readonly resolved: readonly string[];
  readonly file: string;
}

/** Null: it is another command, or its output has no marker of it. */
export function saidByCommand(command: string, output: string): SaidByCommand | null {
  const words = plainWords(command);
  const lines = new Set(output.split("\n").map((line) => line.trimEnd()));
  const said = words === null ? null : meantBy(words, fileIn(lines));
  return said !== null && lines.has(markerOf(said)) ? said : null;
}

/** As `markerLine` has it. */
const STATE = markerLine("STATE", "");

/** Null: no state file was named, or more than one. */
function fileIn(lines: ReadonlySet<string>): string | null {
  const [only, ...others] = [...lines].filter((line) => line.startsWith(STATE));
  return only === undefined || others.length > 0 ? null : only.slice(STATE.length);
}

function markerOf(said: SaidByCommand): string {
  switch (said.kind) {
    case "began":
      return markerLine("BEGIN", said.label);
    case "ended":
      return markerLine(said.isAborted ? "ABORT" : "END", said.label ?? "").trimEnd();
    case "decided":
      return markerLine("DECIDED", decidedText(said.key, said.value, said.reason));
    case "step":
      return stepMarker(said);
  }
}

/** `file`: the state file that the output names. */
function meantBy(words: readonly string[], file: string | null): SaidByCommand | null {
  const at = words[0] === "npx" ? 1 : 0;
  if (basename(words[at] ?? "") !== "refloat") return null;
  const given = argumentsOf(words.slice(at + 1));
  const [command, what, ...rest] = given.plain;
  const one = (name: string): string | null => given.options.get(name)?.at(-1) ?? null;
  if (command === "op" && what === "begin" && rest[0] !== undefined && rest.length === 1)
    return { kind: "began", label: rest[0].trim(), paths: given.options.get("--path") ?? [] };
  if (command === "op" && what === "end" && rest.length <= 1)
    return { kind: "ended", label: rest[0] ?? null, isAborted: given.flags.has("--abort") };
  const [value] = rest;
  if (command === "decide" && what !== undefined && value !== undefined && rest.length === 1)
    return { kind: "decided", key: what, value, reason: one("--reason"), step: one("--step"), file };
  const does = command === "step" ? STEP_WORDS.find((word) => word === what) : undefined;
  return does === undefined || file === null ? null : stepMeant(does, rest, file, given.options);
}

/** Behind the number stands the part of `sub`; of the others the step's name, which means nothing. */
function stepMeant(
  does: SaidStep["does"],
  [step, name]: readonly string[],
  file: string,
  options: ReadonlyMap<string, readonly string[]>,
): SaidStep | null {
  const part = does === "sub" ? (name?.trim() ?? "") : null;
  if (step === undefined || part === "") return null;
  const all = (option: string): readonly string[] => options.get(option) ?? [];
  const one = (option: string): string | null => all(option).at(-1) ?? null;
  return {
    ...{ kind: "step", does, step, part, file },
    ...{ reason: one("--reason"), owner: one("--owner"), token: one("--token") },
    ...{ artifacts: all("--artifact"), context: all("--context") },
    ...{ findings: all("--finding"), resolved: all("--resolved") },
  };
}

const WITH_VALUE: ReadonlySet<string> = new Set([
  ...["--path", "--reason", "--step", "--file", "--owner", "--token"],
  ...["--artifact", "--context", "--finding", "--resolved"],
  ...["-C", "--store", "--color"],
]);

function argumentsOf(words: readonly string[]): {
  readonly plain: readonly string[];
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlySet<string>;
} {
  const plain: string[] = [];
  const flags = new Set<string>();
  const options = new Map<string, readonly string[]>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, name = word, inline] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
    if (WITH_VALUE.has(name)) {
      const value = inline ?? words[++at] ?? "";
      options.set(name, [...(options.get(name) ?? []), value]);
    } else if (word.startsWith("-") && word !== "-") flags.add(word);
    else plain.push(word);
  }
  return { plain, options, flags };
}

/** Behind a change of folder one simple command is meant; anything a shell would do more makes its output somebody else's, too. */
const FOLDER = /^\s*cd\s+(?:"[^"$`\\]*"|'[^']*'|[\w./~-]+)\s*&&\s*/;
const PIECE = /\s*(?:((?:'[^']*'|"(?:[^"$`\\]|\\["\\])*"|[\w@%+=:,./~-])+))/y;

/** The words of one simple command; null: it is more than that. */
function plainWords(command: string): readonly string[] | null {
  const text = command.replace(FOLDER, "").trim();
  if (/[\r\n]/.test(text)) return null;
  const words: string[] = [];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const [, raw] = PIECE.exec(text) ?? [];
    if (raw === undefined) return null;
    words.push(
      raw.replaceAll(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
        (_all, single?: string, double?: string) => single ?? (double ?? "").replaceAll(/\\(["\\])/g, "$1"),
      ),
    );
  }
  return words;
}
