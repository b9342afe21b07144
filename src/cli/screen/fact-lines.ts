/** Names and what they are, one to a line, what is too long wrapped under itself. */
import { padToWidth, wrapToWidth } from "../../text/width.ts";
import type { Output } from "./output.ts";

export function factLines(out: Output, facts: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  return facts.flatMap(([name, value]) =>
    wrapToWidth(value, out.columns - width).map(
      (line, i) => out.style.dim(padToWidth(i === 0 ? name : "", width)) + line,
    ),
  );
}
