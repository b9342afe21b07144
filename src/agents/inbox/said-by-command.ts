/**
 * What a call of `refloat op` or `refloat decide` said where it could not write the store (a sandbox): told by its command and by the text
 * marker in its output, which must be the one that this very command prints. A marker in any other output is somebody's text and says
 * nothing (T2, T3). Pure.
 */
import { basename } from "node:path";
import { decidedText, markerLine } from "../../text/marker-line.ts";

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
    };

/** Null: it is another command, or its output has no marker of it. */
export function saidByCommand(command: string, output: string): SaidByCommand | null {
  const words = plainWords(command);
  const said = words === null ? null : meantBy(words);
  if (said === null) return null;
  const lines = new Set(output.split("\n").map((line) => line.trimEnd()));
  return lines.has(markerOf(said)) ? said : null;
}

function markerOf(said: SaidByCommand): string {
  switch (said.kind) {
    case "began":
      return markerLine("BEGIN", said.label);
    case "ended":
      return markerLine(said.isAborted ? "ABORT" : "END", said.label ?? "").trimEnd();
    case "decided":
      return markerLine("DECIDED", decidedText(said.key, said.value, said.reason));
  }
}

function meantBy(words: readonly string[]): SaidByCommand | null {
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
    return { kind: "decided", key: what, value, reason: one("--reason"), step: one("--step") };
  return null;
}

const WITH_VALUE: ReadonlySet<string> = new Set(["--path", "--reason", "--step", "-C", "--store", "--color"]);

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
