/** A line that is too wide goes on below, further in. For text that was made harmless; painted afterwards. */
import { truncateToWidth, wrapToWidth } from "../../text/width.ts";

/** `most`: so many lines at most; the last one then ends with an ellipsis. */
export function hanging(
  line: string,
  indent: string,
  columns: number,
  most = Number.POSITIVE_INFINITY,
): string[] {
  const lead = /^ */.exec(line)?.[0] ?? "";
  const room = Math.max(1, columns - Math.max(lead.length, indent.length));
  const all = wrapToWidth(line.trimStart(), room).map((piece, i) => `${i === 0 ? lead : indent}${piece}`);
  if (all.length <= most) return all;
  const last = truncateToWidth(`${all[most - 1]} …`, columns);
  return [...all.slice(0, most - 1), last];
}
