import { parse, TomlError } from "smol-toml";
import { MAX_DATA_DEPTH } from "./parse-room.ts";
import type { ParsedText } from "./parsed.ts";

export function parseTomlText(_path: string, text: string): ParsedText {
  try {
    parse(text, { maxDepth: MAX_DATA_DEPTH });
    return { kind: "sound", source: null };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    // Its bound, and no error of the text.
    if (thrown.message.includes("excessively nested"))
      throw new RangeError("nested too deep", { cause: thrown });
    return { kind: "broken", line: thrown.line, message: thrown.message.split("\n")[0] ?? thrown.message };
  }
}
