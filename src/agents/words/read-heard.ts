import type { JsonObject } from "../../model/json.ts";
import type { LineReader } from "./adapter.ts";
import { kindAt } from "./fields.ts";
import type { Heard } from "./heard.ts";

/**
 * What a line says. A reader must not throw; where one does, the line is heard as of a type nobody knows, which is counted and shown: what an
 * agent wrote costs itself, and never what stands beside it (D6).
 */
export function readHeard(reader: LineReader, line: JsonObject): readonly Heard[] {
  try {
    return reader.read(line);
  } catch (thrown) {
    // Whatever was thrown: it is about this line, and nothing else was touched.
    return [{ kind: "unknown", type: `${kindAt(line)} (${thrown instanceof Error ? thrown.name : "odd"})` }];
  }
}
