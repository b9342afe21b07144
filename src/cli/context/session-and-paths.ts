/** `discard [ID] [--] PATH...`: a first argument that names a session is the ID; after `--` all are paths (DESIGN 10). */
import { findSessionOrNull } from "../../app/sessions/find-session.ts";
import type { Context } from "./context.ts";

export interface SessionAndPaths {
  /** As it was typed; null: left out. */
  readonly session: string | null;
  readonly paths: readonly string[];
}

/** `argv`: everything after the program's name; commander takes the `--` out of what it hands over. */
export async function sessionAndPaths(
  context: Context,
  words: readonly string[],
  argv: readonly string[] = process.argv.slice(2),
): Promise<SessionAndPaths> {
  const dashes = argv.indexOf("--");
  const after = dashes === -1 ? 0 : argv.length - dashes - 1;
  const [first, ...rest] = words.slice(0, words.length - after);
  const paths = words.slice(words.length - after);
  if (first === undefined) return { session: null, paths };
  return (await findSessionOrNull(context, first))
    ? { session: first, paths: [...rest, ...paths] }
    : { session: null, paths: [first, ...rest, ...paths] };
}
