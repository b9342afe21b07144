/** JSON as the standard has it, JSON with comments, and one JSON value per line. */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { ParsedText } from "./parsed.ts";
import { lineOf } from "./parsed.ts";

const SOUND: ParsedText = { kind: "sound", source: null };

export function parseStrictJson(path: string, text: string): ParsedText {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""));
    return SOUND;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const found = withComments(text, { isStrict: true });
    return found ?? { kind: "broken", line: 1, message: `${path} is not JSON` };
  }
}

export function parseJsonWithComments(_path: string, text: string): ParsedText {
  return withComments(text, { isStrict: false }) ?? SOUND;
}

export function parseJsonLines(_path: string, text: string): ParsedText {
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    try {
      JSON.parse(line);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      return { kind: "broken", line: at + 1, message: "a line that is not JSON" };
    }
  }
  return SOUND;
}

function withComments(text: string, { isStrict }: { readonly isStrict: boolean }): ParsedText | null {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: !isStrict, disallowComments: isStrict });
  const first = errors[0];
  if (!first) return null;
  const message = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return { kind: "broken", line: lineOf(text, first.offset), message };
}
