/**
 * The table of an agent's events as `AgentHooks` (docs/hooks.md is printed from it): a row for each event, with what it means. An event that
 * has no row says nothing, and is kept as one that came: agents are upgraded under us.
 */
import type { JsonObject } from "../../model/json.ts";
import { textAt } from "./fields.ts";
import { personsWords } from "./go-on.ts";
import type { Heard, HeardAt, HeardOutcome } from "./heard.ts";
import type { AgentHooks, HookEvent, HookMoment, HookSource, NoticeChannel } from "./hooks.ts";
import { madeId } from "./made-id.ts";

export interface HookRow extends HookEvent {
  /** Left out: that it came is all it says. */
  readonly means?: (payload: JsonObject) => readonly Heard[];
}

export interface HookTable {
  readonly rows: readonly HookRow[];
  readonly source: (payload: JsonObject) => HookSource;
  readonly notice: NoticeChannel | null;
}

export function hooksOf({ rows, source, notice }: HookTable): AgentHooks {
  const byName = new Map(rows.map((row) => [row.name, row]));
  return {
    events: rows.map(({ means: _means, ...event }) => event),
    hear: (event, payload) => ({
      source: source(payload),
      heard: byName.get(event)?.means?.(payload) ?? [],
    }),
    notice,
  };
}

/** What an event of each moment becomes, for people. */
export const BECOMES: Readonly<Record<HookMoment, string>> = {
  "session-start": "whose session it is, its folder, its process",
  "session-end": "the program ended; no turn is over by that (L7)",
  prompt: "what the person said, where the transcript lacks it",
  "before-call": "the intent: without an end after a death, the call that was open",
  "after-call": "the call's result, where the transcript lacks it",
  "turn-end": "the end record of the turn (L7)",
  interrupted: "the turn was cancelled",
  "child-start": "a subagent began",
  "child-end": "a subagent ended",
  "before-compaction": "nothing: it may still be called off",
  "after-compaction": "the context was shortened",
  "folder-changed": "where the agent works from now on",
  other: "nothing but that hooks are alive",
};

/** `prompt`: what was submitted. Empty, or all of it ours: nobody said anything. `key`: the agent's own id of it, if any. */
export function promptHeard(prompt: string | null, key: string | null, at: HeardAt): readonly Heard[] {
  const words = prompt === null || prompt.trim() === "" ? null : personsWords(prompt);
  if (words === null) return [];
  const parts = [{ type: "text" as const, text: words }];
  const id = madeId("hook prompt", key ?? "", words);
  return [{ kind: "message", id, role: "user", parts, at, from: "person", child: null }];
}

export function turnEndHeard(outcome: HeardOutcome, answer: string | null, at: HeardAt): readonly Heard[] {
  return [{ kind: "turn-ended", outcome, proof: "record", at, ...(answer === null ? {} : { answer }) }];
}

export const sessionHeard = (nativeId: string | null, cwd: string | null, at: HeardAt): readonly Heard[] =>
  nativeId === null
    ? []
    : [{ kind: "session", nativeId, cwd, version: null, branch: null, model: null, at, parent: null }];

/** Of an agent that gives its calls no id in hooks: the same for the call and its result, told apart by order where it is made again. */
export const unnamedCall = (tool: string, input: JsonObject): string =>
  madeId("hook call", tool, JSON.stringify(input));

/** In the shape that Claude Code has made and others have taken over. */
export function claudeLikeSource(payload: JsonObject): HookSource {
  return {
    nativeId: textAt(payload, "session_id"),
    cwd: textAt(payload, "cwd"),
    transcript: textAt(payload, "transcript_path"),
    child: textAt(payload, "agent_id"),
  };
}

export const childHeard =
  (state: "begun" | "done") =>
  (payload: JsonObject): readonly Heard[] => {
    const id = textAt(payload, "agent_id");
    const [label, transcript] = [
      textAt(payload, "agent_type") ?? "",
      textAt(payload, "agent_transcript_path"),
    ];
    return id === null ? [] : [{ kind: "child", id, label, state, transcript, at: null }];
  };
