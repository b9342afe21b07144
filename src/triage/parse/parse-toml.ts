import { parse, TomlError } from "smol-toml";
import type { Parsed } from "./parsed.ts";

export function parseTomlText(_path: string, text: string): Parsed {
  try {
    parse(text);
    return { kind: "sound", source: null };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return { kind: "broken", line: thrown.line, message: thrown.message.split("\n")[0] ?? thrown.message };
  }
}
