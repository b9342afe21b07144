/**
 * What stands upon changes that nobody has committed yet is committed after them: the commands that do it, in their order, to be
 * typed where they are printed (T6). The newer work is parked meanwhile, so that the older lies there as it was left (W5).
 */
import { join, relative } from "node:path";
import type { Conflict } from "../../../acts/plans/outcome.ts";
import { scopeOf } from "../../../app/place/scope.ts";
import type { PathName } from "../../../model/path-name.ts";
import { overlaid, wasDirtyBefore } from "../../../salvage/changes/owned-changes.ts";
import type { Salvage } from "../../../salvage/judging/salvage.ts";
import type { SettleOutcome } from "../../../salvage/settle/settle.ts";
import { shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";

/** Paths in one command; who has more settles the older session first. */
const MAX_PATHS = 8;

interface CameOut {
  readonly found: Pick<Salvage, "session" | "owned">;
  readonly settled: Pick<SettleOutcome, "conflicts" | "acts">;
}

export interface InOrder {
  /** None: nothing is in conflict that its order would mend. */
  readonly commands: readonly string[];
  /** Older work may stand upon older work itself, and then says its own order: they are typed one by one. */
  readonly isStepwise: boolean;
}

/** What newer sessions went on with: there is nothing to settle but with theirs. */
export const goneOnWith = ({ found, settled }: CameOut): { path: PathName; by: string }[] =>
  settled.acts.length === 0 && found.owned.held === null ? overlaid(found.owned) : [];

/** Committing the newer work by name tells the order, whatever its verdict is. */
export function newerOrders(context: Context, view: CameOut): string[] {
  const all = goneOnWith(view);
  const typed = pathTyper(context);
  return [...new Set(all.map(({ by }) => by))].map((session) => {
    const paths = all.flatMap(({ path, by }) => (by === session ? [typed(path)] : []));
    const id = shellWord(shortId(session));
    return context.out.typed(
      paths.length > MAX_PATHS
        ? `refloat settle ${id} --dry-run`
        : `refloat commit ${id} ${paths.join(" ")} --dry-run`,
    );
  });
}

export function inOrder(context: Context, { found, settled }: CameOut): InOrder {
  const upon = settled.conflicts.filter(({ earlier }) => earlier !== undefined);
  const [first] = upon;
  if (!first || found.session.isImplied || upon.length > MAX_PATHS) return NONE;
  const groups = [...new Set(upon.map(({ group }) => group))];
  const id = shellWord(shortId(found.session.id));
  const named = groups.map((group) => `--group ${group}`).join(" ");
  const commands = [
    `refloat park ${id} ${named} --yes`,
    ...olderCommits(context, upon),
    ...groups.map((group) => `refloat unpark ${group} --yes`),
    `refloat commit ${id} ${named} --yes`,
  ];
  const isStepwise = upon.some((one) => standsItself(one, found.owned));
  return { commands: commands.map(context.out.typed), isStepwise };
}

const NONE: InOrder = { commands: [], isStepwise: false };

/** The older session's work stands upon changes that were there before it, too: committing it tells their order. */
function standsItself({ path, earlier }: Conflict, { tracks }: Salvage["owned"]): boolean {
  return wasDirtyBefore(path, tracks.find(({ session }) => session === earlier) ?? null);
}

/** Of each older session what it left there; what nobody known did is the user's own to commit, with his own words. */
function olderCommits(context: Context, upon: readonly Conflict[]): string[] {
  const elsewhere = context.out.about() ?? context.flags.directory;
  const typed = pathTyper(context);
  const pathsOf = (session: string | null): string =>
    upon.flatMap(({ path, earlier }) => (earlier === session ? [typed(path)] : [])).join(" ");
  const sessions = [...new Set(upon.map(({ earlier }) => earlier ?? null))];
  return sessions.map((session) =>
    session === null
      ? `git${elsewhere === null ? "" : ` -C ${shellWord(elsewhere)}`} commit ${pathsOf(null)}`
      : `refloat commit ${shellWord(shortId(session))} ${pathsOf(session)} --yes`,
  );
}

/** As a path is typed where the commands are printed. */
function pathTyper(context: Context): (path: PathName) => string {
  const { out } = context;
  const root = out.about() ?? scopeOf(context.place(), "here").workspace ?? context.place();
  const from = out.about() ?? context.place();
  return (path) => {
    const shown = shownPath((relative(from, join(root, path)) || path) as PathName);
    return shown.startsWith("$") ? shown : shellWord(shown);
  };
}
