/**
 * What the newest session that was cut off was asked, and the call it was in: what whoever comes back wants to know first (L6). Of its journal
 * the beginning and the newest records are read and no more (T5); nothing is written (W1). Without secrets (T4).
 */
import { Fold } from "../../conversation/fold.ts";
import type { SessionId } from "../../model/ids.ts";
import { firstRequest } from "../../salvage/story/session-story.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { redactBeginnings } from "../../text/redact-part.ts";
import { tellingText } from "../../text/telling-text.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Nobody is in more calls at once; the end of a session is among its newest records of these kinds. */
const NEWEST_RECORDS = 200;
/** More of a line than any screen shows. */
const MAX_CHARS = 500;
const MAX_CALLS = 5;

const CALLED = ["call.started", "call.ended"] as const;

export interface CutOff {
  readonly session: string;
  /** The beginning of what it was asked; null: nobody knows. */
  readonly goal: string | null;
  /** Begun, and nobody saw them end: each may have happened. The newest last. */
  readonly calls: readonly { readonly tool: string; readonly input: string }[];
}

export async function cutOffOf({ raw }: RefloatStore, { id }: SessionSummary): Promise<CutOff | null> {
  const session = id as SessionId;
  const row = await raw.session(session);
  if (!row) return null;
  const asked = typeof row.facts.goal === "string" ? row.facts.goal : await firstRequest(raw, session);
  const newest = await raw.records({ session, kinds: CALLED, order: "backward", limit: NEWEST_RECORDS });
  const fold = new Fold();
  for (const record of [...newest].reverse()) fold.add(record);
  const calls = fold.items
    .filter((item) => item.kind === "call")
    .filter(({ result }) => !result || UNSEEN.has(result.status))
    .slice(-MAX_CALLS);
  const texts = [asked ?? "", ...calls.map(({ input }) => tellingText(input))];
  const [goal, ...inputs] = await redactBeginnings(texts.map((text) => ({ text, chars: MAX_CHARS })));
  return {
    session,
    goal: asked === null ? null : (goal?.text ?? null),
    calls: calls.map(({ tool }, at) => ({ tool, input: inputs[at]?.text ?? "" })),
  };
}

const UNSEEN: ReadonlySet<string> = new Set(["unknown-outcome", "interrupted"]);
