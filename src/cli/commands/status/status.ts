/**
 * Bare `refloat`: one screen for the whole repository (DESIGN 10). Reads only; a store is never made. Where nothing is
 * unsettled it needs a list of rows and what is open in them, and nothing else is loaded; else what was left is judged.
 */
import { sessionsInScope } from "../../../app/sessions/sessions-in-scope.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { repositoryScope } from "../../grammar/scope-flags.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { reasonsWithoutSecrets } from "../sessions/suspension-reasons.ts";
import type { StatusGroups } from "./status-groups.ts";
import { type Counts, nextCommands, statusLines } from "./status-lines.ts";
import { treeHere } from "./tree-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const scope = repositoryScope(input, context.place());
  const store = await context.findStore();
  const address = await context.storeAddress();
  const rows = store ? await sessionsInScope(context, store, scope) : [];
  const sessions = store ? await reasonsWithoutSecrets(await store.describe(rows)) : [];
  const counts = countsOf(sessions);
  const { groups, notJudged } = await groupsOf(context, sessions);
  const tree = scope.kind === "all" ? null : await treeHere(context);
  const next = nextCommands(sessions, tree).map(context.out.typed);
  await context.out.result({
    command: "status",
    json: {
      workspace: scope.workspace,
      worktrees: scope.places,
      counts,
      sessions,
      tree,
      groups,
      not_judged: notJudged,
      next,
    },
    text: () =>
      statusLines(context, {
        ...{ scope, sessions, counts, groups, notJudged, tree, next },
        noStoreAt: store === null ? address : null,
        isNamed: context.flags.store !== null || process.env.REFLOAT_STORE !== undefined,
      }),
  });
  const isWanted = counts.interrupted + counts.suspended + counts.unsettled > 0;
  return isSet(input, "exitCode") && isWanted ? EXIT.attention : EXIT.done;
}

/** The judge is loaded only where there is something to judge. */
async function groupsOf(context: Context, sessions: readonly SessionSummary[]): Promise<StatusGroups> {
  if (!sessions.some(({ state, unsettled }) => unsettled && state !== "live"))
    return { groups: [], notJudged: [] };
  const { statusGroups } = await import("./status-groups.ts");
  return statusGroups(context, sessions);
}

function countsOf(sessions: readonly SessionSummary[]): Counts {
  const of = (state: SessionSummary["state"]): number => sessions.filter((one) => one.state === state).length;
  return {
    live: of("live"),
    interrupted: of("interrupted"),
    suspended: of("suspended"),
    unsettled: sessions.filter(({ unsettled }) => unsettled).length,
    finished: of("finished"),
    idle: of("idle"),
  };
}
