/**
 * What was said of a workflow from inside a sandbox (said-orders.ts): carried out by whoever may write the user's tree, and only shown by
 * whoever may not (W1, as S5 has it of plans). What carries out is loaded only where the store knows a workflow of this tree.
 */
import { existsSync, realpathSync } from "node:fs";
import { WORKFLOW_PREFIX } from "../../model/ids.ts";
import { stepOfSession } from "../../model/workflow-ids.ts";
import type { Store } from "../../store/store.ts";
import { type AnsweredOrder, type SaidAbout, saidAbout } from "../../workflow/said-orders.ts";
import type { Tell } from "../telling/news.ts";

export async function carryOutIn(store: Store, root: string, tell: Tell): Promise<void> {
  for (const file of await filesIn(store, root)) {
    const { carryOutSaid } = await import("../../workflow/carry-out-said.ts");
    tellAnswered(file, await carryOutSaid(store, file), tell);
  }
}

function tellAnswered(file: string, answered: readonly AnsweredOrder[], tell: Tell): void {
  if (answered.length > 0) tell({ kind: "said-answered", file, answered });
}

export interface SaidOfFile extends SaidAbout {
  readonly file: string;
}

/** Only files of which something was said that is not done. */
export async function saidIn(store: Store | null, root: string): Promise<readonly SaidOfFile[]> {
  const found: SaidOfFile[] = [];
  for (const file of store ? await filesIn(store, root) : []) {
    const about = store && (await saidAbout(store, file));
    if (about && about.waiting.length + about.refused.length > 0) found.push({ file, ...about });
  }
  return found;
}

/** Of the state files that the store knows: those of this tree, whether they are there or not. */
async function filesIn(store: Store, root: string): Promise<readonly string[]> {
  const rows = await store.sessions({ prefix: WORKFLOW_PREFIX });
  const top = existsSync(root) ? realpathSync(root) : root;
  return rows.flatMap(({ id, facts: { workspace: file } }) =>
    stepOfSession(id) === null && typeof file === "string" && file.startsWith(`${top}/`) ? [file] : [],
  );
}
