/**
 * What stands upon changes that nobody has committed yet is committed after them (app/salvage/in-order.ts): the commands that do it,
 * in their order, to be typed where they are printed (T6).
 */
import { join, relative } from "node:path";
import { scopeOf } from "../../../app/place/scope.ts";
import { commitOrder, type OrderToCommit, whyNothing } from "../../../app/salvage/in-order.ts";
import type { PlannedSettle } from "../../../app/salvage/settle-order.ts";
import type { PathName } from "../../../model/path-name.ts";
import { shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";

/** Paths in one command; who has more settles the older session first. */
const MAX_PATHS = 8;

type CameOut = Pick<PlannedSettle, "found" | "settled">;

export interface InOrder {
  /** None: nothing is in conflict that its order would mend. */
  readonly commands: readonly string[];
  /** Older work may stand upon older work itself, and then says its own order: they are typed one by one. */
  readonly isStepwise: boolean;
}

/** Committing the newer work by name tells the order, whatever its verdict is. */
export function newerOrders(context: Context, view: CameOut): string[] {
  const all = whyNothing(view).newer;
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

export function inOrder(context: Context, view: CameOut): InOrder {
  const order = commitOrder(view);
  if (!order || order.older.flatMap(({ paths }) => paths).length > MAX_PATHS) return NONE;
  const { groups, isStepwise } = order;
  const id = shellWord(shortId(view.found.session.id));
  const named = groups.map((group) => `--group ${group}`).join(" ");
  const commands = [
    `refloat park ${id} ${named} --yes`,
    ...olderCommits(context, order),
    ...groups.map((group) => `refloat unpark ${group} --yes`),
    `refloat commit ${id} ${named} --yes`,
  ];
  return { commands: commands.map(context.out.typed), isStepwise };
}

const NONE: InOrder = { commands: [], isStepwise: false };

/** Of each older session what it left there; what nobody known did is the user's own to commit, with his own words. */
function olderCommits(context: Context, { older }: OrderToCommit): string[] {
  const elsewhere = context.out.about() ?? context.flags.directory;
  const typed = pathTyper(context);
  return older.map(({ session, paths }) => {
    const named = paths.map(typed).join(" ");
    return session === null
      ? `git${elsewhere === null ? "" : ` -C ${shellWord(elsewhere)}`} commit ${named}`
      : `refloat commit ${shellWord(shortId(session))} ${named} --yes`;
  });
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
