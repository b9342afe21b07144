/** T6: what stands in a command that is printed to be typed went through the one mechanism that makes words of a shell (`src/model/shell-word.ts`). */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS, RefloatError } from "../src/model/errors.ts";
import { shellLineWord } from "../src/model/shell-word.ts";

const SOURCE = join(import.meta.dirname, "../src");

/** A command of ours in a template; a sentence about refloat is none, nor what is hashed or fenced under its name. */
const COMMAND = /refloat (?:[a-z]+|\$\{)/g;

/** What makes one word of a shell, or a list of such. */
const WORD = /^(?:shellWord|shellLineWord)\(|\.map\((?:shellWord|shellLineWord)\)\.join\(" "\)$/;

/** Made of words before they come here, or never anything but digits, a name of ours or nothing. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  "app/status/told-status.ts": ["step.kind"],
  "cli/commands/plans/act-view.ts": ["act", "session === null ?", "group"],
  "cli/commands/plans/act-words.ts": ['typed.join(" ")', "what"],
  "cli/commands/plans/in-order.ts": ["id", "named", "group", 'paths.join(" ")'],
  "cli/commands/store/send.ts": ["id"],
  "cli/commands/transcript/check.ts": ["said === null ?"],
  "cli/commands/workflow/step.ts": ["next.step", "named"],
  "cli/commands/workspace/captures.ts": ["most"],
  "cli/commands/worktrees/worktrees.ts": ["which"],
  "handoff/bundle/blackbox.ts": ["id"],
  "handoff/write-brief.ts": ["of", "fullBudget(pieces)"],
  "workflow/handoff-text.ts": ["spec.id"],
  "workflow/lost-state.ts": ["word"],
  "workflow/state-files-on-disk.ts": ["word"],
  "workflow/step-refusals.ts": ["step", "ownerOption(owner)"],
  "workflow/step-transition.ts": ["id", "next.spec.id", "spec.id", "named", 'facts.named ?? ""'],
  "workflow/validate-files.ts": ["file"],
};

/** Sentences in which the program's name is followed by a verb of ours. */
const NO_COMMAND =
  /^refloat (?:(?:saw|tail|leaves|was|does|is|has|knows|only|would)\b|\$\{(?:source|id|fishOption|command)\b)/;

interface PutIn {
  readonly file: string;
  readonly line: string;
  readonly what: string;
}

/** What each command of a file's templates has put into it, up to the end of the template, the code marks or the sentence. */
function* putIn(file: string): Generator<PutIn> {
  const text = readFileSync(join(SOURCE, file), "utf8");
  for (const { index } of text.matchAll(COMMAND)) {
    const rest = text.slice(index, text.indexOf("\n", index));
    if (NO_COMMAND.test(rest) || !isInTemplate(text, index)) continue;
    for (let at = 0; at < rest.length; at++) {
      if (rest[at] === "`" || rest.startsWith("\\`", at) || /^[.;:,)] /.test(rest.slice(at))) break;
      if (!rest.startsWith("${", at)) continue;
      const end = closing(rest, at + 2);
      yield { file, line: rest.slice(0, 100), what: rest.slice(at + 2, end) };
      at = end;
    }
  }
}

/** On its line an odd number of marks stands before it that are not escaped. */
function isInTemplate(text: string, index: number): boolean {
  const before = text.slice(text.lastIndexOf("\n", index) + 1, index);
  const isComment = /^\s*(?:\*|\/\/|\/\*)/.test(before);
  return !isComment && [...before.matchAll(/(?<!\\)`/g)].length % 2 === 1;
}

function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}") depth--;
    if (depth === 0) return at;
  }
  return text.length;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);

describe("printed commands", () => {
  it("T6: nothing is put into one that is not a word of a shell", () => {
    const found = files.flatMap((file) => [...putIn(file)]);
    expect(found.length, "the commands are seen").toBeGreaterThan(60);
    const wrong = found.filter(
      ({ file, what }) =>
        !WORD.test(what) &&
        !KNOWN[file]?.some((known) => what === known || (known.endsWith("?") && what.startsWith(known))),
    );
    expect(wrong).toEqual([]);
  });

  it("T6: and nothing changes a word after it was made: a run of spaces is part of a name", () => {
    const wrong = files.filter((file) =>
      /oneLine\((?:shellWord|shellLineWord|typedWithHandoff)\(|(?:shellWord|shellLineWord)\(oneLine\(/.test(
        readFileSync(join(SOURCE, file), "utf8"),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("T6: every hint of the catalogue with a command in it takes hostile values as one word each", () => {
    const hostile = "a b'; touch \u202epwned\n`x` $(y) \\";
    for (const [code, { hint }] of Object.entries(ERRORS)) {
      const commands = [...hint.matchAll(/`((?:refloat|git) [^`]*)`/g)].map(([, command = ""]) => command);
      for (const command of commands) {
        const keys = [...command.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key);
        if (keys.length === 0 || keys.includes("word")) continue;
        const data = Object.fromEntries(keys.map((key) => [key, hostile]));
        const filled = new RefloatError(code as keyof typeof ERRORS, data).hint;
        const typed = command.replace(/\{\w+\}/g, () => shellLineWord(hostile));
        expect(filled).toContain(typed);
        expect(/[\n\u202e]/.test(filled.replaceAll(hostile, ""))).toBe(false);
      }
    }
  });

  it("T3, T6: a word that is shown in a line is, in a shell, the very text it was made of", () => {
    const texts = [
      "plain",
      "it's",
      "two  spaces",
      "a\nb",
      "\\n'",
      "\u202eevil",
      "\u200b",
      "é 名前",
      '$(x) `y` "z"',
      "~",
    ];
    for (const text of texts) {
      const word = shellLineWord(text);
      expect(/[\p{Cc}\p{Cf}]/u.test(word), word).toBe(false);
      expect(execFileSync("bash", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe(text);
    }
  });
});
