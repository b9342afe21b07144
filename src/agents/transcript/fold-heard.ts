/**
 * Where a transcript stands: pure, from what was heard in order. Statuses are derived, never copied (an agent's own "running" is on disk
 * for ever), and a result the agent's program made up says nothing of what the call did.
 */
import type { Heard, HeardCall, HeardResult, HeardSession, PlanItem } from "../words/heard.ts";

export type TranscriptStatus =
  | "live"
  | "ended-clean"
  | "dirty-in-tool"
  | "dirty-in-stream"
  | "dirty-idle"
  | "cancelled-by-user"
  | "lost";

export type HeardCallStatus =
  | "requested"
  | "running"
  | "done"
  | "failed"
  | "cancelled"
  | "interrupted"
  | "unknown-outcome";

interface CallSoFar {
  readonly tool: string;
  readonly proof: HeardCall["proof"];
  /** Its turn was over before a result came: none will. */
  isLeft: boolean;
  result: Pick<HeardResult, "status" | "origin"> | null;
}

/** What was heard last, as far as it decides where the turn stands. */
type Stand =
  | "nothing"
  | "waits-for-model"
  | "waits-for-tool"
  | "said"
  | "turn-completed"
  | "turn-completed-inferred"
  | "turn-cancelled"
  | "turn-failed"
  | "ended";

/** Where the end of the program is the end of the work. */
const MAY_END: ReadonlySet<Stand> = new Set([
  "nothing",
  "turn-completed",
  "turn-completed-inferred",
  "ended",
]);

/** The end of what ran on beside the turn opens no turn again. */
const TURN_IS_OVER: ReadonlySet<Stand> = new Set([
  "turn-completed",
  "turn-cancelled",
  "turn-failed",
  "ended",
]);

export class HeardFold {
  #session: HeardSession | null = null;
  #version: string | null = null;
  #messages = 0;
  readonly #calls = new Map<string, CallSoFar>();
  #stand: Stand = "nothing";
  #plan = new Map<string, PlanItem>();
  readonly #unknown = new Map<string, number>();

  /** `before`: where an earlier reading ended; left out: this one begins at the beginning. */
  constructor(before?: { readonly status: TranscriptStatus; readonly calls: readonly string[] }) {
    if (before === undefined) return;
    this.#stand = standAt(before.status);
    for (const id of before.calls)
      this.#calls.set(id, { tool: "", proof: "started", isLeft: false, result: null });
  }

  hear(heard: Heard): void {
    switch (heard.kind) {
      case "session":
        // Some say their model only when the first turn begins.
        this.#session = { ...heard, ...this.#session, model: this.#session?.model ?? heard.model };
        this.#version = heard.version ?? this.#version;
        return;
      case "message":
        this.#messages += 1;
        if (!this.#isOwn(heard.child) || heard.from === "machinery") return;
        this.#stand = heard.from === "person" ? "waits-for-model" : "said";
        return;
      case "call":
        this.#calls.set(
          heard.id,
          this.#calls.get(heard.id) ?? { tool: heard.tool, proof: heard.proof, isLeft: false, result: null },
        );
        if (this.#isOwn(heard.child)) this.#stand = "waits-for-tool";
        return;
      case "result":
        this.#hearResult(heard);
        return;
      case "turn-began":
      case "asked-model":
        this.#stand = "waits-for-model";
        return;
      case "turn-ended":
        for (const call of this.#calls.values()) call.isLeft ||= call.result === null;
        this.#stand = standAfter(heard.outcome, heard.proof);
        return;
      case "ended":
        // Its program ended in order, which it also does when it is told to in the middle of an answer: no turn is over by that (L7).
        if (MAY_END.has(this.#stand) && this.openCalls().length === 0) this.#stand = "ended";
        return;
      case "plan":
        this.#plan = new Map(heard.items.map((item, at) => [`${at}`, item]));
        return;
      case "plan-item":
        this.#hearPlanItem(heard);
        return;
      case "unknown":
        this.#unknown.set(heard.type, (this.#unknown.get(heard.type) ?? 0) + 1);
        return;
      case "child":
      case "compacted":
      case "rewound":
      case "limit":
      case "delta":
      case "delta-over":
        return;
    }
  }

  /** The conversation this is the transcript of: a subagent's own file is the subagent's. */
  #isOwn(child: string | null): boolean {
    return child === null || child === this.#session?.nativeId;
  }

  #hearPlanItem({ id, text, state }: Extract<Heard, { kind: "plan-item" }>): void {
    if (state === "dropped") this.#plan.delete(id);
    else this.#plan.set(id, { text: text ?? this.#plan.get(id)?.text ?? "", state });
  }

  /** A real result stands whatever comes later; a made-up one gives way to a real one. */
  #hearResult({ call, status, origin }: HeardResult): void {
    const known = this.#calls.get(call) ?? {
      tool: "",
      proof: "requested" as const,
      isLeft: false,
      result: null,
    };
    if (known.result?.origin !== "real") known.result = { status, origin };
    this.#calls.set(call, known);
    if (!TURN_IS_OVER.has(this.#stand)) this.#stand = "waits-for-model";
  }

  get session(): HeardSession | null {
    return this.#session;
  }
  get version(): string | null {
    return this.#version;
  }
  get messages(): number {
    return this.#messages;
  }
  get plan(): readonly PlanItem[] {
    return [...this.#plan.values()];
  }
  get unknownTypes(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  openCalls(): readonly string[] {
    return [...this.#calls].filter(([, { result, isLeft }]) => result === null && !isLeft).map(([id]) => id);
  }

  /** `isLive`: its owner was proved alive (K2), by something else than the transcript. */
  calls(isLive: boolean): readonly { id: string; tool: string; status: HeardCallStatus }[] {
    return [...this.#calls].map(([id, call]) => ({ id, tool: call.tool, status: callStatus(call, isLive) }));
  }

  status(isLive: boolean): TranscriptStatus {
    if (isLive) return "live";
    if (this.#stand === "turn-cancelled") return "cancelled-by-user";
    if (this.openCalls().length > 0) return "dirty-in-tool";
    switch (this.#stand) {
      case "nothing":
        return this.#session === null ? "lost" : "dirty-idle";
      case "ended":
      case "turn-completed":
        return "ended-clean";
      case "waits-for-model":
      case "waits-for-tool":
      case "said":
        return "dirty-in-stream";
      case "turn-completed-inferred":
      case "turn-failed":
        return "dirty-idle";
    }
  }
}

const STANDS: Readonly<Record<TranscriptStatus, Stand>> = {
  live: "said",
  "ended-clean": "turn-completed",
  "dirty-in-tool": "waits-for-tool",
  "dirty-in-stream": "waits-for-model",
  "dirty-idle": "turn-completed-inferred",
  "cancelled-by-user": "turn-cancelled",
  lost: "nothing",
};
const standAt = (status: TranscriptStatus): Stand => STANDS[status];

/** A status that was written down; null: one of a newer refloat. */
export const statusFrom = (value: unknown): TranscriptStatus | null =>
  typeof value === "string" && Object.hasOwn(STANDS, value) ? (value as TranscriptStatus) : null;

function standAfter(outcome: "completed" | "cancelled" | "failed", proof: "record" | "inferred"): Stand {
  if (outcome === "cancelled") return "turn-cancelled";
  if (outcome === "failed") return "turn-failed";
  return proof === "record" ? "turn-completed" : "turn-completed-inferred";
}

function callStatus({ result, proof, isLeft }: CallSoFar, isLive: boolean): HeardCallStatus {
  if (result === null) {
    if (isLive && !isLeft) return "running";
    return proof === "started" ? "interrupted" : "requested";
  }
  return result.origin === "synthetic" ? "unknown-outcome" : result.status;
}
