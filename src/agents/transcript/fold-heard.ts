/**
 * Where a transcript stands: pure, from what was heard in order. Statuses are derived, never copied (an agent's own "running" is on disk
 * for ever), and a result the agent's program made up says nothing of what the call did.
 */
import type { Heard, HeardCall, HeardResult, HeardSession, PlanItem } from "../words/heard.ts";
import { type CallSoFar, CallsSoFar } from "./calls-so-far.ts";

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

/** Types nobody knows that are counted by name: a newer version of an agent has a few, and a hostile file has no end of them (T5). */
const MAX_UNKNOWN_TYPES = 64;
const MAX_TYPE_CHARS = 80;

/** Where an earlier reading ended. */
export interface FoldBefore {
  readonly status: TranscriptStatus;
  readonly calls: readonly string[];
  readonly plan: Iterable<readonly [id: string, item: PlanItem]>;
}

export class HeardFold {
  #session: HeardSession | null = null;
  #version: string | null = null;
  #messages = 0;
  readonly #calls = new CallsSoFar();
  #stand: Stand = "nothing";
  #plan = new Map<string, PlanItem>();
  readonly #unknown = new Map<string, number>();

  /** `before`: where an earlier reading ended; left out: this one begins at the beginning. */
  constructor(before?: FoldBefore) {
    if (before === undefined) return;
    this.#plan = new Map(before.plan);
    this.#stand = standAt(before.status);
    for (const id of before.calls)
      this.#calls.add(id, { tool: "", proof: "started", isLeft: false, result: null });
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
        this.#hearCall(heard);
        return;
      case "result":
        this.#hearResult(heard);
        return;
      case "turn-began":
      case "asked-model":
        this.#stand = "waits-for-model";
        return;
      case "turn-ended":
        this.#calls.leaveOpen();
        this.#stand = standAfter(heard.outcome, heard.proof);
        return;
      case "ended":
        // Its program ended in order, which it also does when it is told to in the middle of an answer: no turn is over by that (L7).
        if (MAY_END.has(this.#stand) && this.#calls.open.size === 0) this.#stand = "ended";
        return;
      case "plan":
        this.#plan = new Map(heard.items.map((item, at) => [`${at}`, item]));
        return;
      case "plan-item":
        this.#hearPlanItem(heard);
        return;
      case "unknown":
        this.#hearUnknown(heard.type.slice(0, MAX_TYPE_CHARS));
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

  #hearCall({ id, tool, proof, child }: HeardCall): void {
    const known = this.#calls.get(id);
    // A result that stood before its call.
    if (known?.tool === "") known.tool = tool;
    if (known === undefined) this.#calls.add(id, { tool, proof, isLeft: false, result: null });
    if (this.#isOwn(child)) this.#stand = "waits-for-tool";
  }

  /** A real result stands whatever comes later; a made-up one gives way to a real one. */
  #hearResult({ call, status, origin }: HeardResult): void {
    const known = this.#calls.get(call);
    if (known === undefined)
      this.#calls.add(call, { tool: "", proof: "requested", isLeft: false, result: { status, origin } });
    else if (known.result?.origin !== "real") known.result = { status, origin };
    this.#calls.close(call);
    if (!TURN_IS_OVER.has(this.#stand)) this.#stand = "waits-for-model";
  }

  #hearUnknown(type: string): void {
    const counted = this.#unknown.get(type);
    if (counted === undefined && this.#unknown.size >= MAX_UNKNOWN_TYPES) return;
    this.#unknown.set(type, (counted ?? 0) + 1);
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
  /** Calls that were heard and are not listed: over, and older than those that are. */
  get callsLeftOut(): number {
    return this.#calls.leftOut;
  }
  get plan(): readonly PlanItem[] {
    return [...this.#plan.values()];
  }
  /** The plan with the ids its source changes it by. */
  get planById(): ReadonlyMap<string, PlanItem> {
    return this.#plan;
  }
  get unknownTypes(): ReadonlyMap<string, number> {
    return this.#unknown;
  }

  openCalls(): readonly string[] {
    return [...this.#calls.open.keys()];
  }

  /** `isLive`: its owner was proved alive (K2), by something else than the transcript. */
  calls(isLive: boolean): readonly { id: string; tool: string; status: HeardCallStatus }[] {
    return [...this.#calls].map(([id, call]) => ({ id, tool: call.tool, status: callStatus(call, isLive) }));
  }

  status(isLive: boolean): TranscriptStatus {
    if (isLive) return "live";
    if (this.#stand === "turn-cancelled") return "cancelled-by-user";
    if (this.#calls.open.size > 0) return "dirty-in-tool";
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
