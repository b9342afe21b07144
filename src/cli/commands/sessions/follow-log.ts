/**
 * `log --follow`: records as they are written. As JSON one object a line, each a record; as text what it adds
 * to the conversation: streamed text appears flush by flush (C3). Without secrets unless asked for raw (T4), each
 * record by itself. Ends by Ctrl-C, as the signal it is.
 */
import { type FollowedRecord, type FollowOrder, followLog } from "../../../app/sessions/log.ts";
import { jsonText } from "../../../text/json-text.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { schemaOf } from "../../screen/output.ts";
import { FollowText } from "./follow-text.ts";

const STOPS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export async function followed(context: Context, order: Omit<FollowOrder, "stop">): Promise<CommandEnd> {
  const { out } = context;
  const stop = new AbortController();
  let signal: NodeJS.Signals | null = null;
  const onSignal = (caught: NodeJS.Signals): void => {
    signal ??= caught;
    // A second signal finds nobody listening and ends the process the hard way.
    stop.abort();
  };
  const { isOfGateway, records } = await followLog(context, { ...order, stop: stop.signal });
  for (const name of STOPS) process.once(name, onSignal);
  const text = new FollowText(out, { isOfGateway });
  for await (const said of records)
    await out.write(
      out.isJson
        ? `${jsonText({ schema: schemaOf("log"), record: recordJson(said) })}\n`
        : text.add(said.record, said),
    );
  if (!out.isJson) await out.write(text.end());
  return signal === null ? EXIT.done : { signal };
}

/** A record as JSON, in the words of the export. */
function recordJson({ record, isRedacted }: FollowedRecord): Record<string, unknown> {
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
