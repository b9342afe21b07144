/** Questions that need a yes, as records: asked, then used once or expired. The decision is pure (below). */
import type { SessionId } from "../model/ids.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import { randomId } from "../platform/random.ts";
import { newRecord } from "../session/new-record.ts";
import type { Host } from "./host.ts";
import type { Confirmation, TurnInput } from "./options.ts";
import type { GatewayPolicy } from "./policy.ts";

export interface ConfirmRequest {
  readonly session: SessionId;
  readonly attempt: number;
  readonly key: string;
  readonly question: string;
  readonly input: TurnInput | null;
  readonly isResumed: boolean;
}

export async function confirm(host: Host, request: ConfirmRequest): Promise<Confirmation> {
  const { store, policy, instance } = host;
  const asked = await openQuestion(host, request);
  const isAnsweredNow = request.input?.confirms === request.key && !request.isResumed;
  const decision = decideConfirmation(
    {
      asked: asked && { atMs: asked.atMs, instance: String(asked.body.instance) },
      instance,
      isAnsweredNow,
    },
    store.clock.nowMs(),
    policy,
  );
  const ended = (outcome: "used" | "expired"): NewRecord[] =>
    asked
      ? [
          newRecord(store.clock, "confirmation.ended", {
            confirmation: String(asked.body.confirmation),
            outcome,
            input: request.input?.id ?? null,
          }),
        ]
      : [];
  const append = (records: readonly NewRecord[]): Promise<unknown> =>
    store.append(request.session, { attempt: request.attempt }, records);
  switch (decision.kind) {
    case "granted":
      // Closed before anybody acts on it: a second use finds nothing open.
      await append(ended("used"));
      return { kind: "granted" };
    case "ask":
      await append([
        ...ended("expired"),
        newRecord(store.clock, "confirmation.asked", {
          confirmation: randomId(),
          key: request.key,
          question: request.question,
          instance,
        }),
      ]);
      return { kind: "ask", question: request.question, why: decision.why };
    default:
      return decision satisfies never;
  }
}

async function openQuestion(host: Host, { session, key }: ConfirmRequest): Promise<StoredRecord | null> {
  for (const row of await host.store.open(session, { what: ["confirmation"] })) {
    const [asked] = await host.store.records({ session, fromSeq: row.seq, toSeq: row.seq });
    if (asked?.body.key === key) return asked;
  }
  return null;
}

/**
 * Whether a confirmation counts. Only when the question is open, was asked by this very instance not long ago,
 * and this turn's own input answers it: a "yes" found in the history after a restart is void and must be asked
 * anew, or an old "confirm reboot" is obeyed twice. Pure.
 */
interface ConfirmationFacts {
  /** The open question with this key; null: it was never asked, or already used. */
  readonly asked: { readonly atMs: number; readonly instance: string } | null;
  readonly instance: string;
  /** This turn's input names the key, and the turn is not a resumed one. */
  readonly isAnsweredNow: boolean;
}

type ConfirmationDecision =
  | { readonly kind: "granted" }
  | { readonly kind: "ask"; readonly why: "never-asked" | "not-answered" | "restarted" | "too-old" };

export function decideConfirmation(
  facts: ConfirmationFacts,
  nowMs: number,
  policy: Pick<GatewayPolicy, "confirmationMs">,
): ConfirmationDecision {
  const { asked } = facts;
  if (asked === null) return { kind: "ask", why: "never-asked" };
  if (asked.instance !== facts.instance) return { kind: "ask", why: "restarted" };
  // Either direction: a clock that was set back does not lengthen a confirmation's life.
  if (Math.abs(nowMs - asked.atMs) > policy.confirmationMs) return { kind: "ask", why: "too-old" };
  return facts.isAnsweredNow ? { kind: "granted" } : { kind: "ask", why: "not-answered" };
}
