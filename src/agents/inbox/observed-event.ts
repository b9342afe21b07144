/**
 * An event of the inbox as the record it becomes (`agent.observed`): pure, and of nothing but the file, so that whoever takes it in
 * makes the same record (D4). What an agent says is bounded here: a transcript has it whole (T5).
 */
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { BodyOf } from "../../model/record.ts";
import { UNKNOWN_BOOT } from "../../platform/identity.ts";
import { destructionsIn, UNNAMED } from "../commands/destructive.ts";
import { withoutOf } from "../commands/in-danger.ts";
import { shellCallOf } from "../commands/shell-call.ts";
import type { Heard } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import type { AgentHooks, HookMoment, HookSource } from "../words/hooks.ts";
import { madeId } from "../words/made-id.ts";
import type { BeforeImage, HookAncestor, InboxEvent } from "./format.ts";

/** Of a result, and of an answer: enough to be shown and compared. */
const MAX_OUTPUT_CHARS = 64 * 1024;

/** Programs that stand between an agent and the hook it calls. */
const BETWEEN: ReadonlySet<string> = new Set([
  ...[
    "sh",
    "dash",
    "bash",
    "zsh",
    "ksh",
    "busybox",
    "fish",
    "env",
    "timeout",
    "refloat-hook",
    "setsid",
    "nice",
  ],
]);

export interface ObservedEvent {
  readonly moment: HookMoment;
  readonly source: HookSource & { readonly nativeId: string };
  readonly body: BodyOf<"agent.observed">;
}

/** Null: nothing says whose it is. */
export function observedEvent(event: InboxEvent, hooks: AgentHooks): ObservedEvent | null {
  const parsed = heardJson(Buffer.from(event.body).toString("utf8"));
  const { source, heard } = hooks.hear(event.event, isJsonObject(parsed) ? parsed : {});
  const above = agentAbove(event);
  const nativeId =
    source.nativeId ?? (above && madeId("hook process", event.boot ?? "", `${above.pid} ${above.started}`));
  if (nativeId === null) return null;
  const moment = hooks.events.find(({ name }) => name === event.event)?.moment ?? "other";
  const { before, cutAt } = event;
  return {
    moment,
    source: { ...source, nativeId, cwd: source.cwd ?? event.cwd },
    body: {
      agent: event.agent,
      event: event.event,
      native_id: nativeId,
      cwd: source.cwd ?? event.cwd,
      child: source.child,
      heard: heard.map((one) => bounded(one) as unknown as JsonObject & { kind: string }),
      process: above,
      pid_namespace: event.pidNamespace,
      ...(before === null ? {} : { before: withBeyond(before, parsed) }),
      ...(cutAt === null ? {} : { cut: cutAt }),
    },
  };
}

/** What no capture can hold is said where the program was asked, too. */
function withBeyond(before: BeforeImage, payload: Json | null): BeforeImage {
  const call = isJsonObject(payload) ? shellCallOf(payload) : null;
  if (before.kind === "none" || call === null) return before;
  const found = destructionsIn(call.script);
  // The program reads no pattern as a shell would: only the holder does.
  const without = withoutOf(found.some(({ hasPatterns }) => hasPatterns) ? [UNNAMED] : [], found);
  return without.length === 0 ? before : { ...before, without };
}

/** The agent is the first that is no shell on the way up (K2: with its start). */
function agentAbove({ ancestors, boot }: InboxEvent): BodyOf<"agent.observed">["process"] {
  const found = ancestors.find(({ comm }: HookAncestor) => !BETWEEN.has(comm));
  return found
    ? { boot: boot ?? UNKNOWN_BOOT, pid: found.pid, started: found.start, comm: found.comm }
    : null;
}

function bounded(heard: Heard): Heard {
  if (heard.kind === "result") return { ...heard, output: heard.output.slice(0, MAX_OUTPUT_CHARS) };
  if (heard.kind === "turn-ended" && heard.answer !== undefined)
    return { ...heard, answer: heard.answer.slice(-MAX_OUTPUT_CHARS) };
  return heard;
}
