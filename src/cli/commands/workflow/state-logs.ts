/** The decision logs of state files as the store knows them, for commands that only look; without a store there are none. */
import { WORKFLOW_PREFIX } from "../../../model/ids.ts";
import { identityOf } from "../../../workflow/claim-ids.ts";
import type { KnownLog } from "../../../workflow/kept-log.ts";
import { readKnownLog } from "../../../workflow/state-journal.ts";
import type { Context } from "../../context/context.ts";

type LogOf = (file: string) => KnownLog | null;

export async function logsOfFiles(context: Context, files: readonly string[]): Promise<LogOf> {
  const store = files.length > 0 ? await context.findStore() : null;
  if (!store) return () => null;
  const known = new Set(
    (await store.raw.sessions({ prefix: WORKFLOW_PREFIX })).map(({ id }) => id as string),
  );
  const logs = new Map<string, KnownLog>();
  for (const file of files) {
    const { session } = identityOf(file);
    const log = known.has(session) ? await readKnownLog(store.raw, session) : null;
    if (log) logs.set(session, log);
  }
  return (file) => logs.get(identityOf(file).session) ?? null;
}
