/**
 * Recovery, wired for commands: before one begins work or writes, the dead sessions of its workspace are recovered, and
 * what was found is said on stderr. Only the commands S2 names hand in `stopping`.
 */

import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { type RecoveryOutcome, recoverOne } from "../../../recover/recover-one.ts";
import { recoverWorkspace } from "../../../recover/recover-workspace.ts";
import { CAUSE_WORDS } from "../../../session/causes.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { openTrustedOrNull } from "../../../workspace/trust/open-trusted.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

export interface RecoverHereOptions {
  /** Stop what dead attempts left running, after saying so (S2). */
  readonly isStopping?: boolean;
}

/** Every dead session of the workspace somebody stands in. */
export async function recoverHere(
  context: Context,
  store: RefloatStore,
  { workspace, place, env }: WorkspaceHere,
  { isStopping = false }: RecoverHereOptions = {},
): Promise<readonly RecoveryOutcome[]> {
  const outcomes = await recoverWorkspace(store.raw, workspace, {
    env,
    place,
    home: await context.home(),
    ...(isStopping ? { stopping: { onFound: (found) => sayStopping(context, found) } } : {}),
  });
  for (const outcome of outcomes)
    for (const line of outcomeLines(outcome)) context.out.narrate(context.out.typed(line));
  return outcomes;
}

/** One session, wherever its workspace is. */
export async function recoverThat(context: Context, store: RefloatStore, row: SessionRow): Promise<void> {
  const env = process.env;
  const place = typeof row.facts.workspace === "string" ? row.facts.workspace : "";
  const outcome = await recoverOne(store.raw, openTrustedOrNull(store.raw, place, env), row, {
    env,
    place,
    home: await context.home(),
  });
  if (outcome) for (const line of outcomeLines(outcome)) context.out.narrate(context.out.typed(line));
}

function sayStopping(context: Context, found: readonly { pid: number; command: string }[]): void {
  for (const { pid, command } of found)
    context.out.narrate(`Stopping what a dead session left running: ${pid} ${oneLine(command)}`);
}

/** What a recovery found, in a line or two. */
function outcomeLines(outcome: RecoveryOutcome): string[] {
  const id = shortId(outcome.session);
  switch (outcome.kind) {
    case "taken":
      return [];
    case "another-recovers":
      return [`Session ${id} is being recovered by another process (pid ${outcome.pid}).`];
    case "recovered": {
      const { end, recovered, leftovers, capture, suspended } = outcome;
      const calls = recovered?.calls.length ?? 0;
      const open = calls > 0 ? `; ${count(calls, "call")} may have happened` : "";
      return [
        ...(end ? [`Session ${id} had ended: ${CAUSE_WORDS[end.cause]}${open}.`] : []),
        ...(leftovers ?? []).map(
          ({ pid, command, kept }) =>
            `It left running: ${pid} ${oneLine(command)}${kept === null ? "" : ` (${kept})`}`,
        ),
        ...(capture.kind === "failed" ? [`Its work was not captured: ${capture.why}`] : []),
        ...(suspended === null
          ? []
          : [`It is suspended: ${suspended} To end that: refloat lift ${oneLine(outcome.session)}`]),
      ];
    }
    default:
      return outcome satisfies never;
  }
}
