/**
 * What an agent tells by calling us: its hooks. The recorder writes each event down as it came (`../inbox/`); this says what an event of
 * this agent means, in the language of `heard.ts`. Everything in it is what the agent says of itself (T2) and untrusted text (T3).
 */
import type { JsonObject } from "../../model/json.ts";
import type { Heard } from "./heard.ts";

/**
 * When an event comes, whatever the agent calls it. `other`: it is recorded and shows that hooks are alive, and says nothing more.
 */
export type HookMoment =
  | "session-start"
  | "session-end"
  | "prompt"
  | "before-call"
  | "after-call"
  | "turn-end"
  | "interrupted"
  | "child-start"
  | "child-end"
  | "before-compaction"
  | "after-compaction"
  | "folder-changed"
  | "other";

export interface HookEvent {
  /** As the agent spells it, and as the recorder's second argument has it. */
  readonly name: string;
  readonly moment: HookMoment;
  /** `init` and the plugins do not ask for it: it comes too often, or says nothing that another does not. Left out: they do. */
  readonly asked?: false;
  /** What of it must not be believed, with the version it was seen in; left out: nothing known. Printed in docs/hooks.md. */
  readonly trap?: string;
}

/** Whose event it is. The payload's own words: the folder may be the tool's, not the session's. */
export interface HookSource {
  /** The agent's id of the session; null: the payload does not say, then the ancestors and the mark must. */
  readonly nativeId: string | null;
  readonly cwd: string | null;
  readonly transcript: string | null;
  /** The subagent it happened in; null: the session's own conversation. */
  readonly child: string | null;
}

export interface HeardHook {
  readonly source: HookSource;
  readonly heard: readonly Heard[];
}

/**
 * How text reaches the model and the person at a session's start: what is printed on the hook's standard output.
 * `hook-specific-output`: `{"systemMessage", "hookSpecificOutput": {"hookEventName", "additionalContext"}}`. `additional-context`: the
 * same two at the top of the object. `plain`: the text itself. `by-plugin`: the first form, read by our own plugin, which puts it beside the prompt.
 */
export type NoticeForm = "hook-specific-output" | "additional-context" | "plain" | "by-plugin";

export interface NoticeChannel {
  /** The event whose output the model gets to read. */
  readonly event: string;
  readonly form: NoticeForm;
  /** The payload's `source`, or the plugin's event, when the context was shortened: the notice is given again; null: this agent does not say so. */
  readonly compacted: string | null;
}

export interface AgentHooks {
  /** The one table of its events: what `init`, the plugins and the docs are made from. One that is not here is kept in the inbox's order as `other`, never refused: agents are upgraded under us. */
  readonly events: readonly HookEvent[];
  /** Must not throw for a strange payload: what cannot be read is an empty `heard`. */
  hear(event: string, payload: JsonObject): HeardHook;
  /** null: nothing that a hook of this agent prints reaches the model. */
  readonly notice: NoticeChannel | null;
}

/** Events that an agent is asked to tell us of, as it spells them. */
export const askedEvents = ({ events }: Pick<AgentHooks, "events">): readonly string[] =>
  events.filter(({ asked }) => asked !== false).map(({ name }) => name);
