/**
 * `op` and `decide` from inside an agent's sandbox, where the store cannot be written: what they printed came with the result of their call,
 * and is taken in as that operation or decision. Only by the call's own command (said-by-command.ts); the agent's own word all the same (T2).
 */
import type { WaitingEvent } from "../../agents/inbox/drain-inbox.ts";
import { type SaidByCommand, saidByCommand } from "../../agents/inbox/said-by-command.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { NewRecord } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import { commandText } from "../../workspace/owning/named-paths.ts";
import { openOperation } from "../../workspace/sessions/operations.ts";

/** In the record: who said so. */
const FROM_HOOK = "hook";

/** `heard`: of the event after the call. Nothing where its command was another one, or nobody holds the session any more. */
export async function takeSaid(
  store: Store,
  session: SessionId,
  { id }: Pick<WaitingEvent, "id">,
  heard: readonly unknown[],
): Promise<void> {
  const result = heard
    .map((one) => one as Json)
    .filter(isJsonObject)
    .find(({ kind }) => kind === "result");
  const output = result?.status === "done" && typeof result.output === "string" ? result.output : "";
  if (!output.includes("# ")) return;
  const command = await commandOf(store, session, String(result?.call));
  const said = command === null ? null : saidByCommand(command, output);
  const row = said && (await store.session(session));
  if (!said || !row?.claim.owner) return;
  try {
    await store.append(session, { attempt: row.claim.attempt }, [await recordOf(store, session, id, said)]);
  } catch (thrown) {
    // Over meanwhile, ended before, or never begun here: then it says nothing.
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
}

async function recordOf(
  store: Store,
  session: SessionId,
  event: string,
  said: SaidByCommand,
): Promise<NewRecord> {
  const { clock } = store;
  const from = FROM_HOOK;
  switch (said.kind) {
    case "began": {
      const operation = `hook-${event}`;
      const paths = said.paths.length > 0 ? [...said.paths] : null;
      const body = { operation, label: said.label, paths, from };
      return newRecord(clock, "operation.began", body, `operation:${operation}`);
    }
    case "ended": {
      const { id: operation } = await openOperation(store, session, said.label);
      const body = { operation, aborted: said.isAborted, from };
      return newRecord(clock, "operation.ended", body, `operation-end:${operation}`);
    }
    case "decided": {
      const { key, value, reason, step } = said;
      return newRecord(clock, "decided", { key, value, reason, step, from }, `decided:hook-${event}`);
    }
  }
}

/** What the call was told to run, by the event before it; null: that is not there, or it was no command. */
async function commandOf(store: Store, session: SessionId, call: string): Promise<string | null> {
  const query = { session, kinds: ["agent.observed"], order: "backward", limit: READ_PAGE_ROWS } as const;
  for (const { body } of await store.records(query)) {
    const heard = Array.isArray(body.heard) ? (body.heard as readonly Json[]) : [];
    const found = heard.filter(isJsonObject).find(({ kind, id }) => kind === "call" && id === call);
    if (found) return found.does === "execute" ? commandText(found.input) : null;
  }
  return null;
}
