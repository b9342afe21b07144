/**
 * `op`, `decide` and `step` from inside an agent's sandbox, where the store cannot be written: what they printed came with the result of their
 * call, and is taken in: as that operation or decision of the session; what is about a workflow's state file, by whoever may write that
 * (carry-out-said.ts). Only by the call's own command (said-by-command.ts); the agent's own word all the same (T2).
 */
import type { WaitingEvent } from "../../agents/inbox/drain-inbox.ts";
import { type SaidByCommand, type SaidStep, saidByCommand } from "../../agents/inbox/said-by-command.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { NewRecord } from "../../model/record.ts";
import { parseMark } from "../../session/leftovers.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { keepSaid } from "../../workflow/carry-out-said.ts";
import { isFileOf } from "../../workflow/sandboxed-file.ts";
import { commandText } from "../../workspace/owning/named-paths.ts";
import { openOperation } from "../../workspace/sessions/operations.ts";

/** In the record: who said so. */
const FROM_HOOK = "hook";

/** `heard`: of the event after the call. Nothing where its command was another one, or nobody holds the session any more. */
export async function takeSaid(
  store: Store,
  session: SessionId,
  waiting: WaitingEvent,
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
  if (!said || !row) return;
  try {
    if (isOfFile(said)) await keepForFile(store, row, waiting, said);
    else if (row.claim.owner) {
      const record = await recordOf(store, session, waiting.id, said);
      await store.append(session, { attempt: row.claim.attempt }, [record]);
    }
  } catch (thrown) {
    // Over meanwhile, ended before, never begun here, or told by another session's hooks before: then it says nothing.
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
}

type FileWords = Extract<SaidByCommand, { readonly file: string | null }> & { readonly file: string };
type SessionWords = Exclude<SaidByCommand, SaidStep>;

const isOfFile = (said: SaidByCommand): said is FileWords => "file" in said && said.file !== null;

/** Nothing of a file that the session's agent had no business with. */
async function keepForFile(
  store: Store,
  { id: session, facts }: SessionRow,
  { id: event, atMs, event: { mark } }: WaitingEvent,
  said: FileWords,
): Promise<void> {
  const root = facts.workspace;
  if (typeof root !== "string" || !isFileOf(root, said.file)) return;
  const { owner, attempt_of, order } = orderOf(said, mark);
  await keepSaid(store, said.file, { event, atMs, body: { order, owner, attempt_of, session } });
}

function orderOf(said: FileWords, mark: string | null) {
  const of = mark === null ? null : parseMark(mark);
  const attempt_of = of && { session: of.session, attempt: of.attempt };
  if (said.kind === "decided") {
    const { kind, key, value, reason, step } = said;
    return { owner: null, attempt_of, order: { kind, key, value, reason, step } };
  }
  const { owner, file: _file, ...order } = said;
  const { artifacts, context, findings, resolved } = order;
  return {
    owner,
    attempt_of,
    order: {
      ...order,
      artifacts: [...artifacts],
      context: [...context],
      findings: [...findings],
      resolved: [...resolved],
    },
  };
}

async function recordOf(
  store: Store,
  session: SessionId,
  event: string,
  said: SessionWords,
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
