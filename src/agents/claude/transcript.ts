/**
 * Claude Code's transcripts: a tree of records in one file, one per piece of an answer, among them whole requests of hundreds of kilobytes
 * that nobody wants. A subagent has a file of its own beside it; older versions put its records between the others.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { LineReader, LinesFormat } from "../words/adapter.ts";
import {
  contentText,
  kindAt,
  listAt,
  objectAt,
  objectOf,
  objectsAt,
  textAt,
  timeOf,
} from "../words/fields.ts";
import { personsWords } from "../words/go-on.ts";
import type { Heard, HeardAt, HeardMessage, HeardOutcome, HeardResult, LineLinks } from "../words/heard.ts";
import { askedPlan, callOf, doneEdits, donePlan } from "./tools.ts";
import {
  isLocalOutput,
  isSyntheticResult,
  isTyped,
  limitResetMs,
  saysStopped,
  typedText,
} from "./words-of-its-program.ts";

/** What else stands in a transcript, as the program of 2.1.325 lists it (and what older versions wrote): known, and of no use here. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  ...["agent-color", "agent-name", "agent-setting", "ai-title", "api-request-blob", "api-request-shape"],
  ...["artifact-autoreact-ledger", "artifact-comment-monitor", "atis-latch", "attribution-snapshot"],
  ...["bridge-session", "content-replacement", "continued-in", "custom-title", "data-flow-incomplete"],
  ...["data-flow-records", "derived-from", "dev-mods", "ended-by-model", "file-history-delta"],
  ...["file-history-snapshot", "fork-context-ref", "frame-link", "history-suppression", "isolation-latch"],
  ...["last-prompt", "memory-mode", "mode", "observer-ref", "permission-mode", "pr-link", "progress"],
  ...["queue-operation", "relocated", "repl-mode", "resume-head-vouch", "session-owner", "summary", "tag"],
  ...["tools-used", "worktree-state"],
]);

/** Those of them that do not name their session. */
const NOTES: ReadonlySet<string> = new Set(["file-history-delta", "file-history-snapshot", "summary"]);

/** Records of its program that say nothing of the work. */
const SYSTEM_PASSED_OVER: ReadonlySet<string> = new Set([
  ...["agents_killed", "api_error", "api_retry", "away_summary", "bridge_status", "compact_boundary"],
  ...["file_snapshot", "informational", "instruction_size_warning", "memory_saved", "microcompact_boundary"],
  ...["model_fallback", "model_refusal_fallback", "notification", "permission_retry", "post_turn_summary"],
  ...["scheduled_task_fire", "status", "turn_preempted", "turn_starting"],
]);

export const claudeTranscript: LinesFormat = {
  storage: "lines",
  recognizes: (first) => first.some(isOurs),
  reader: () => new ClaudeReader(),
};

function isOurs(line: JsonObject): boolean {
  if (typeof line.sessionId !== "string") return false;
  const isRecord = typeof line.isSidechain === "boolean" && typeof line.uuid === "string";
  return isRecord || (line.type === "queue-operation" && typeof line.operation === "string");
}

export class ClaudeReader implements LineReader {
  /** The subagent whose own file this is; undefined: no record said yet. */
  #fileOf: string | null | undefined;
  #told: { version: string | null; model: string | null } | null = null;
  /** Records since the person's last prompt: a prompt below an older one takes back what came after that. Null: none was read yet. */
  #sincePrompt: Set<string> | null = null;
  /** The person stopped the turn: what its program still says of its end is no completion. */
  #wasStopped = false;
  /** The last of the conversation is the model's own word that its turn is over. */
  #saidOver = false;
  /** What the calls that began a subagent called it, until they end. */
  readonly #labels = new Map<string, string>();

  links(line: JsonObject): LineLinks | null {
    const id = textAt(line, "uuid");
    if (id !== null && line.parentUuid !== undefined) return { id, parent: textAt(line, "parentUuid") };
    // Notes beside the conversation hang below nothing and have no id; they are records all the same, and nothing nested looks like one.
    const isNote = typeof line.sessionId === "string" || NOTES.has(kindAt(line));
    return isNote && typeof line.type === "string" ? { id: null } : null;
  }

  relink(line: JsonObject, parent: string | null): JsonObject {
    return { ...line, parentUuid: parent };
  }

  read(line: JsonObject): readonly Heard[] {
    const at = timeOf(line.timestamp);
    if (this.#goesOn(line)) this.#saidOver = false;
    switch (line.type) {
      case "user":
        return [...this.#session(line, at), ...this.#user(line, at), ...this.#passed(line)];
      case "assistant":
        return [...this.#session(line, at), ...this.#assistant(line, at), ...this.#passed(line)];
      case "system":
        return [...this.#session(line, at), ...this.#system(line, at), ...this.#passed(line)];
      case "attachment":
        return [...this.#session(line, at), ...this.#attached(line, at), ...this.#passed(line)];
      case "api-request":
        return this.#asksForUs(line) ? [{ kind: "asked-model", at }] : [];
      // Written when the program ends in order, also when it is told to in the middle of a tool: no turn is over by it alone (L7). Behind
      // the model's word that its turn is over, and nothing since, both have said so: `-p` has no other record of a turn's end.
      case "cost-state":
        return [
          ...(this.#saidOver && !this.#wasStopped
            ? [{ kind: "turn-ended" as const, outcome: "completed" as const, proof: "record" as const, at }]
            : []),
          { kind: "ended", at },
        ];
      default:
        return PASSED_OVER.has(kindAt(line)) ? [] : [{ kind: "unknown", type: kindAt(line) }];
    }
  }

  /** A record of the conversation, or a request to its model: what was said last is not the last any more. */
  #goesOn(line: JsonObject): boolean {
    if (line.type === "api-request") return this.#asksForUs(line);
    return line.type === "user" || line.type === "assistant" || line.type === "attachment";
  }

  /** Whose record it is: null is the session's own conversation. */
  #childOf(line: JsonObject): string | null {
    return line.isSidechain === true ? (textAt(line, "agentId") ?? "sidechain") : null;
  }

  #session(line: JsonObject, at: HeardAt): readonly Heard[] {
    const cwd = textAt(line, "cwd");
    const id = textAt(line, "sessionId");
    if (cwd === null || id === null) return [];
    const child = this.#childOf(line);
    const isFirst = this.#fileOf === undefined;
    if (isFirst) this.#fileOf = child;
    const fileOf = this.#fileOf ?? null;
    const version = textAt(line, "version");
    const named = textAt(objectAt(line, "message"), "model");
    const model = (child === fileOf && named !== SYNTHETIC_MODEL ? named : null) ?? this.#told?.model ?? null;
    if (this.#told?.version === version && this.#told.model === model) return [];
    this.#told = { version, model };
    const parent = fileOf === null ? textAt(objectAt(line, "forkedFrom"), "sessionId") : id;
    const branch = textAt(line, "gitBranch");
    const told: Heard = { kind: "session", nativeId: fileOf ?? id, cwd, version, branch, model, at, parent };
    const begun: Heard = { kind: "child", id: fileOf ?? "", label: "", state: "begun", transcript: null, at };
    return isFirst && fileOf !== null ? [told, begun] : [told];
  }

  #user(line: JsonObject, at: HeardAt): readonly Heard[] {
    const content = objectAt(line, "message")?.content;
    if (line.isCompactSummary === true) return [{ kind: "compacted", summary: contentText(content), at }];
    const blocks = Array.isArray(content) ? objectsAt(objectAt(line, "message"), "content") : [];
    const results = blocks.filter(({ type }) => type === "tool_result");
    const parts = typeof content === "string" ? [text(content)] : blocks.flatMap(partOf);
    return [
      // What the program keeps beside a result is of one only.
      ...results.flatMap((block) => this.#result(line, block, results.length === 1, at)),
      ...(parts.length === 0 ? [] : this.#said(line, textAt(line, "uuid") ?? "", parts, at)),
    ];
  }

  /** Words of the user's role: the person's, or the program's. */
  #said(line: JsonObject, id: string, parts: readonly Part[], at: HeardAt): readonly Heard[] {
    const child = this.#childOf(line);
    const words = contentText(parts.map(({ text }) => (typeof text === "string" ? text : "")));
    // Ours begins a turn as well as the person's.
    const isPrompt = isTyped(line, words) && child === null;
    const own = isPrompt ? personsWords(typedText(words)) : null;
    const from = own === null ? "machinery" : "person";
    const kept =
      own === null || own === words ? parts : [text(own), ...parts.filter(({ type }) => type !== "text")];
    const said: HeardMessage = { kind: "message", id, role: "user", parts: kept, at, from, child };
    const isOwn = child === (this.#fileOf ?? null);
    if (isOwn && saysStopped(words)) {
      this.#wasStopped = true;
      return [said, { kind: "turn-ended", outcome: "cancelled", proof: "record", at }];
    }
    // No model was asked: the turn is over as soon as it began.
    if (isOwn && isLocalOutput(line, words))
      return [said, { kind: "turn-ended", outcome: "completed", proof: "inferred", at }];
    if (!isPrompt) return [said, ...childNews(words, at)];
    this.#wasStopped = false;
    return [...this.#takenBack(line, at), said];
  }

  #takenBack(line: JsonObject, at: HeardAt): readonly Heard[] {
    const parent = textAt(line, "parentUuid");
    const isOlder = parent !== null && this.#sincePrompt !== null && !this.#sincePrompt.has(parent);
    this.#sincePrompt = new Set();
    return isOlder ? [{ kind: "rewound", to: parent, at }] : [];
  }

  /** In the order of the file: each record but a request hangs below one before it. */
  #passed(line: JsonObject): readonly Heard[] {
    const id = textAt(line, "uuid");
    if (id !== null) this.#sincePrompt?.add(id);
    return [];
  }

  #result(line: JsonObject, block: JsonObject, isOnly: boolean, at: HeardAt): readonly Heard[] {
    const call = textAt(block, "tool_use_id") ?? "";
    const output = contentText(block.content);
    const isSynthetic = isSyntheticResult(line, output);
    const beside = isOnly && !isSynthetic ? objectAt(line, "toolUseResult") : null;
    const failed = block.is_error === true;
    const wasCut = isSynthetic || beside?.interrupted === true;
    const heard: HeardResult = {
      kind: "result",
      call,
      status: wasCut ? "cancelled" : failed ? "failed" : "done",
      origin: isSynthetic ? "synthetic" : "real",
      output,
      at,
      edits: failed ? [] : doneEdits(beside),
    };
    const label = this.#labels.get(call) ?? null;
    this.#labels.delete(call);
    return [heard, ...donePlan(beside, at), ...childOfResult(beside, label, textAt(line, "sessionId"), at)];
  }

  #assistant(line: JsonObject, at: HeardAt): readonly Heard[] {
    const message = objectAt(line, "message");
    const child = this.#childOf(line);
    const parts = listAt(message, "content").flatMap((block) => partOf(objectOf(block)));
    const isProgram = textAt(message, "model") === SYNTHETIC_MODEL || line.isApiErrorMessage === true;
    const said: HeardMessage = {
      kind: "message",
      id: textAt(line, "uuid") ?? "",
      role: "assistant",
      parts,
      at,
      from: isProgram ? "machinery" : "agent",
      child,
    };
    const spoken = parts.length === 0 ? [] : [said];
    const isOwn = child === (this.#fileOf ?? null);
    if (isProgram)
      return [...spoken, ...(isOwn ? this.#failure(line, contentText(message?.content), at) : [])];
    const calls = objectsAt(message, "content")
      .filter(({ type }) => type === "tool_use")
      .map((block) => callOf(block, at, child));
    for (const call of calls) this.#remember(call.id, call.does === "delegate" ? call.input : null);
    this.#saidOver = isOwn && calls.length === 0 && textAt(message, "stop_reason") === "end_turn";
    return [
      ...spoken,
      ...calls.flatMap((call) => [call, ...askedPlan(call)]),
      ...(isOwn && !this.#wasStopped ? turnEnded(textAt(message, "stop_reason"), at) : []),
    ];
  }

  #remember(call: string, input: JsonObject | null): void {
    const label = textAt(input, "description");
    if (label !== null) this.#labels.set(call, label);
  }

  #failure(line: JsonObject, words: string, at: HeardAt): readonly Heard[] {
    if (line.isApiErrorMessage !== true) return [];
    const failed: Heard = { kind: "turn-ended", outcome: "failed", proof: "record", at };
    const isLimit = line.error === "rate_limit" || line.apiErrorStatus === 429;
    return isLimit ? [{ kind: "limit", resetsAtMs: limitResetMs(words), at }, failed] : [failed];
  }

  #system(line: JsonObject, at: HeardAt): readonly Heard[] {
    const isOwn = this.#childOf(line) === (this.#fileOf ?? null);
    switch (line.subtype) {
      // Its own records of a turn's end: the first where hooks listen for it, the second where a person does.
      case "stop_hook_summary":
      case "turn_duration":
        return isOwn && !this.#wasStopped && line.preventedContinuation !== true
          ? [{ kind: "turn-ended", outcome: "completed", proof: "record", at }]
          : [];
      case "local_command":
        return this.#said(line, textAt(line, "uuid") ?? "", [text(contentText(line.content))], at);
      default: {
        const subtype = kindAt(line, "subtype");
        return SYSTEM_PASSED_OVER.has(subtype) ? [] : [{ kind: "unknown", type: `system ${subtype}` }];
      }
    }
  }

  /** Context for the model, which is no news; but what the person typed while it worked comes as one, too. */
  #attached(line: JsonObject, at: HeardAt): readonly Heard[] {
    const attachment = objectAt(line, "attachment");
    if (textAt(attachment, "type") !== "queued_command" || attachment === null) return [];
    const prompt = attachment.prompt;
    const parts =
      typeof prompt === "string" ? [text(prompt)] : objectsAt(attachment, "prompt").flatMap(partOf);
    const mode = textAt(attachment, "commandMode") ?? "prompt";
    const meta = {
      ...line,
      isMeta: mode !== "prompt" || attachment.isMeta === true,
      origin: attachment.origin,
    };
    return parts.length === 0
      ? []
      : this.#said({ ...meta, parentUuid: null }, textAt(line, "uuid") ?? "", parts, at);
  }

  /** Titles, summaries and other asides are asked for, too. */
  #asksForUs(line: JsonObject): boolean {
    const fileOf = this.#fileOf ?? null;
    if (fileOf !== null) return textAt(line, "agentId") === fileOf;
    const source = textAt(line, "querySource") ?? "";
    return line.agentId === undefined && (source === "sdk" || source.startsWith("repl_main_thread"));
  }
}

/** The model its program names for its own words. */
const SYNTHETIC_MODEL = "<synthetic>";

const OUTCOMES: ReadonlyMap<string, HeardOutcome> = new Map([
  ["end_turn", "completed"],
  ["stop_sequence", "completed"],
  ["max_tokens", "failed"],
  ["model_context_window_exceeded", "failed"],
  ["refusal", "failed"],
]);

/** The model had no more to say; that the program was done with the turn is not in it. */
function turnEnded(reason: string | null, at: HeardAt): readonly Heard[] {
  const outcome = OUTCOMES.get(reason ?? "");
  return outcome === undefined ? [] : [{ kind: "turn-ended", outcome, proof: "inferred", at }];
}

const CHILD_STATES: ReadonlyMap<string, "begun" | "done" | "failed"> = new Map([
  ["async_launched", "begun"],
  ["remote_launched", "begun"],
  ["completed", "done"],
  ["failed", "failed"],
  ["killed", "failed"],
  ["stopped", "failed"],
]);

export const childState = (status: string | null): "begun" | "done" | "failed" | null =>
  CHILD_STATES.get(status ?? "") ?? null;

function childOfResult(
  beside: JsonObject | null,
  label: string | null,
  session: string | null,
  at: HeardAt,
): readonly Heard[] {
  const id = textAt(beside, "agentId");
  const state = childState(textAt(beside, "status"));
  if (id === null || state === null) return [];
  const transcript = session === null ? null : `${session}/subagents/agent-${id}.jsonl`;
  return [{ kind: "child", id, label: label ?? textAt(beside, "agentType") ?? "", state, transcript, at }];
}

/** A subagent in the background is heard of again when it ends, in words to the model. */
function childNews(words: string, at: HeardAt): readonly Heard[] {
  if (!words.startsWith("<task-notification>")) return [];
  // A shell in the background has an id of another form.
  const [, id] = /<task-id>(a[0-9a-f]{6,40})<\/task-id>/.exec(words) ?? [];
  const [, status] = /<status>([^<]{1,100})<\/status>/.exec(words) ?? [];
  const state = childState(status ?? null);
  return id === undefined || state === null
    ? []
    : [{ kind: "child", id, label: "", state, transcript: null, at }];
}

const text = (value: string): Part => ({ type: "text", text: value });

function partOf(block: JsonObject | null): readonly Part[] {
  switch (block?.type) {
    case "text":
      return [text(textAt(block, "text") ?? "")];
    case "thinking":
      return [{ type: "thinking", text: textAt(block, "thinking") ?? "" }];
    case "image":
    case "document":
      return [
        { type: "media", media_type: textAt(objectAt(block, "source"), "media_type") ?? `${block.type}` },
      ];
    default:
      return [];
  }
}
