/** A line that is too wide goes on below, further in. For text that was made harmless; painted afterwards. */
import { wrapToWidth } from "../text/width.ts";

export function hanging(line: string, indent: string, columns: number): string[] {
  const lead = /^ */.exec(line)?.[0] ?? "";
  const room = Math.max(1, columns - Math.max(lead.length, indent.length));
  return wrapToWidth(line.trimStart(), room).map((piece, i) => `${i === 0 ? lead : indent}${piece}`);
}
