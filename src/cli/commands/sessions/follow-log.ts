/**
 * `log --follow`: records as they are written. As JSON one object a line, each a record; as text what it adds
 * to the conversation: streamed text appears flush by flush (C3). Without secrets unless asked for raw (T4), each
 * record by itself. Ends by Ctrl-C, as the signal it is.
 */
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { StoredRecord } from "../../../model/record.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { jsonText } from "../../screen/json-text.ts";
import { schemaOf } from "../../screen/output.ts";
import { FollowText } from "./follow-text.ts";

const STOPS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export async function followLog(
  context: Context,
  store: RefloatStore,
  { id: session, facts }: Pick<SessionRow, "id" | "facts">,
  { fromSeq, isRaw }: { readonly fromSeq: number; readonly isRaw: boolean },
): Promise<CommandEnd> {
  const { out } = context;
  const stop = new AbortController();
  let signal: NodeJS.Signals | null = null;
  const onSignal = (caught: NodeJS.Signals): void => {
    signal ??= caught;
    stop.abort();
    // Wakes the reader at once; a second signal finds nobody listening and ends the process the hard way.
    void store.close().catch(() => undefined);
  };
  for (const name of STOPS) process.once(name, onSignal);
  const text = new FollowText(out, { isOfGateway: typeof facts.gateway === "string" });
  try {
    for await (const record of store.follow(session, fromSeq, stop.signal)) {
      const { value: body, count } = await withoutSecrets(record.body, isRaw);
      const said = { ...record, body };
      await out.write(
        out.isJson
          ? `${jsonText({ schema: schemaOf("log"), record: recordJson(said, count > 0) })}\n`
          : text.add(said),
      );
    }
  } catch (thrown) {
    // The store was closed under the reader because a signal asked for the end.
    const isStopped = stop.signal.aborted && thrown instanceof RefloatError && thrown.code === "E_CLOSED";
    if (!isStopped) throw thrown;
  }
  if (!out.isJson) await out.write(text.end());
  return signal === null ? EXIT.done : { signal };
}

/** A record as JSON, in the words of the export. */
function recordJson(record: StoredRecord, isRedacted: boolean): Record<string, unknown> {
  const { session, seq, id, kind, attempt, atMs, body, isForgotten, isDamaged } = record;
  return {
    session,
    seq,
    id,
    kind,
    attempt,
    at: new Date(atMs).toISOString(),
    body,
    ...(isForgotten ? { forgotten: true } : {}),
    ...(isRedacted ? { redacted: true } : {}),
    ...(isDamaged ? { damaged: true } : {}),
  };
}
