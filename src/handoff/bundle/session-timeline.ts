/** What happened in a session, a line each, for the black box: the newest records that tell it, oldest first. */
import type { Json, JsonObject } from "../../model/json.ts";
import { isJsonObject } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { redactJson } from "../../text/redact.ts";
import { tellingText } from "../../text/telling-text.ts";

const TOLD_BY = [
  "session.began",
  "session.finished",
  "session.suspended",
  "session.lifted",
  "claim.taken",
  "recovered",
  "turn.began",
  "turn.ended",
  "message.added",
  "call.started",
  "call.ended",
  "operation.began",
  "operation.ended",
  "decided",
  "capture.taken",
  "agent.started",
  "agent.exited",
  "drain.marked",
  "agent.warned",
  "output.kept",
] as const;
/** Some screens; the journal beside the page has all of it. */
const MAX_LINES = 400;
const MAX_CHARS = 400;

export interface TimelineLine {
  readonly at: string;
  readonly kind: string;
  readonly text: string;
}

export async function sessionTimeline(store: Store, row: SessionRow): Promise<readonly TimelineLine[]> {
  const query = { session: row.id, kinds: TOLD_BY, order: "backward", limit: MAX_LINES } as const;
  const newestFirst = await store.records(query);
  const lines = newestFirst.reverse().map(lineOf);
  const { value } = await redactJson(lines as unknown as Json);
  return (value as unknown as TimelineLine[]).map((one) => ({ ...one, text: one.text.slice(0, MAX_CHARS) }));
}

function lineOf({ atMs, kind, body }: StoredRecord): TimelineLine {
  return { at: new Date(atMs).toISOString(), kind, text: textOf(kind, body) };
}

/** The fields that tell; what is not known is left out (D5). */
function textOf(kind: string, body: JsonObject): string {
  if (kind === "call.started") return `${String(body.tool)}: ${tellingText(body.input ?? null)}`;
  if (kind === "decided") return `${String(body.key)}: ${tellingText(body.value ?? null)}`;
  const parts = Array.isArray(body.parts) ? (body.parts as readonly Json[]) : [];
  const said = parts.flatMap((part) =>
    isJsonObject(part) && typeof part.text === "string" ? [part.text] : [],
  );
  const told = [
    "goal",
    "label",
    "outcome",
    "status",
    "why",
    "cause",
    "reason",
    "code",
    "signal",
    "text",
  ] as const;
  const fields = told.flatMap((field) => {
    const value = body[field];
    return typeof value === "string" || typeof value === "number" ? [`${field} ${value}`] : [];
  });
  return [...fields, ...said].join(", ");
}
