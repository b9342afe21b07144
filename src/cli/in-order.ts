/**
 * What stands upon changes that nobody has committed yet is committed after them: the commands that do it, in their order, to be
 * typed where they are printed (T6). The newer work is parked meanwhile, so that the older lies there as it was left (W5).
 */
import { join, relative } from "node:path";
import type { Conflict } from "../acts/outcome.ts";
import type { PathName } from "../model/path-name.ts";
import type { Salvage } from "../salvage/salvage.ts";
import type { Settled } from "../salvage/settle.ts";
import { shellWord } from "../text/shell-word.ts";
import { shownPath } from "../text/shown-path.ts";
import type { Context } from "./context.ts";
import { scopeOf } from "./repository-scope.ts";
import { shortId } from "./short-id.ts";

/** Paths in one command; who has more settles the older session first. */
const MAX_PATHS = 8;

interface CameOut {
  readonly found: Pick<Salvage, "session">;
  readonly settled: Pick<Settled, "conflicts">;
}

/** None: nothing is in conflict that its order would mend. */
export function inOrder(context: Context, { found, settled }: CameOut): string[] {
  const upon = settled.conflicts.filter(({ earlier }) => earlier !== undefined);
  const [first] = upon;
  if (!first || found.session.isImplied || upon.length > MAX_PATHS) return [];
  const groups = [...new Set(upon.map(({ group }) => group))];
  const id = shellWord(shortId(found.session.id));
  const named = groups.map((group) => `--group ${group}`).join(" ");
  const commands = [
    `refloat park ${id} ${named} --yes`,
    ...olderCommits(context, upon),
    ...groups.map((group) => `refloat unpark ${group} --yes`),
    `refloat commit ${id} ${named} --yes`,
  ];
  return commands.map(context.out.typed);
}

/** Of each older session what it left there; what nobody known did is the user's own to commit, with his own words. */
function olderCommits(context: Context, upon: readonly Conflict[]): string[] {
  const { out } = context;
  const root = out.about() ?? scopeOf(context.workspace(), "here").workspace ?? context.workspace();
  const from = out.about() ?? context.workspace();
  const elsewhere = out.about() ?? context.flags.directory;
  const typed = (path: PathName): string => {
    const shown = shownPath((relative(from, join(root, path)) || path) as PathName);
    return shown.startsWith("$") ? shown : shellWord(shown);
  };
  const pathsOf = (session: string | null): string =>
    upon.flatMap(({ path, earlier }) => (earlier === session ? [typed(path)] : [])).join(" ");
  const sessions = [...new Set(upon.map(({ earlier }) => earlier ?? null))];
  return sessions.map((session) =>
    session === null
      ? `git${elsewhere === null ? "" : ` -C ${shellWord(elsewhere)}`} commit ${pathsOf(null)}`
      : `refloat commit ${shellWord(shortId(session))} ${pathsOf(session)} --yes`,
  );
}
