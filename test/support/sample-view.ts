/** Views written down as what happened, in order: each step takes the next sequence number. */
import type { Json } from "../../src/model/json.ts";
import type { Part, PartInput } from "../../src/model/parts.ts";
import type { CallEndStatus, Effect } from "../../src/model/record.ts";
import type { View, ViewItem, ViewMessage, ViewResult } from "../../src/model/view.ts";

interface SayStep {
  readonly step: "say";
  readonly role: ViewMessage["role"];
  readonly parts: readonly Part[];
  readonly state: ViewMessage["state"];
  readonly cutOffSeq?: number;
  readonly turn: string | null;
  readonly isSummary: boolean;
  readonly isForgotten: boolean;
}
interface StartStep {
  readonly step: "start";
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly effect: Effect;
  readonly turn: string;
  readonly isForgotten: boolean;
}
interface EndStep {
  readonly step: "end";
  readonly call: string;
  readonly status: CallEndStatus;
  readonly output: Json;
  readonly isSynthetic: boolean;
  readonly isForgotten: boolean;
}
export type Step = SayStep | StartStep | EndStep;

export function say(
  role: ViewMessage["role"],
  what: string | readonly (PartInput | Part)[],
  more: Partial<SayStep> = {},
): Step {
  const parts: readonly Part[] =
    typeof what === "string" ? [{ type: "text", text: what }] : (what as readonly Part[]);
  return {
    step: "say",
    role,
    parts,
    state: "final",
    turn: "t1",
    isSummary: false,
    isForgotten: false,
    ...more,
  };
}

export function start(call: string, more: Partial<StartStep> = {}): Step {
  const defaults = { tool: "bash", input: { command: "ls" }, effect: "unknown", turn: "t1" } as const;
  return { step: "start", call, isForgotten: false, ...defaults, ...more };
}

export function end(call: string, output: Json = "ok", more: Partial<EndStep> = {}): Step {
  return { step: "end", call, output, status: "done", isSynthetic: false, isForgotten: false, ...more };
}

/** An `end` without an open call of that id is nothing: the store refuses it. */
export function sampleView(steps: readonly Step[], more: Partial<View> = {}): View {
  const items: ViewItem[] = [];
  for (const [at, step] of steps.entries()) {
    const seq = at + 1;
    if (step.step === "say") {
      const { step: _step, ...message } = step;
      items.push({ kind: "message", seq, id: `m${seq}`, metadata: {}, ...message });
    } else if (step.step === "start") {
      const { step: _step, call: id, ...call } = step;
      items.push({ kind: "call", seq, id, metadata: {}, result: null, ...call });
    } else {
      const { step: _step, call: id, ...result } = step;
      settle(items, id, { seq, ...result });
    }
  }
  return { audience: "model", items, openTurn: null, earlier: 0, head: steps.length, ...more };
}

function settle(items: ViewItem[], id: string, result: ViewResult): void {
  const at = items.findLastIndex((item) => item.kind === "call" && item.id === id && item.result === null);
  const call = items[at];
  if (call?.kind === "call") items[at] = { ...call, result };
}
