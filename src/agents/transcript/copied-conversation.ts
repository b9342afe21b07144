/**
 * A conversation that goes on in a copy (a fork): the agent writes a new transcript under a new id, which begins with all that the old one
 * said. Whose copy it is is told by what it says inside, never by its name; how much of it is copied, by both being the same so far.
 */
import { createHash } from "node:crypto";
import { isText } from "../../model/parts.ts";
import type { AgentAdapter, FoundTranscript } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { headOrNull, LOOKED_INTO } from "./find-transcript.ts";
import { readTranscript } from "./read-transcript.ts";

/** A transcript that a run made is no older than its start; file systems and clocks differ by less. */
export const CLOCK_SLACK_MS = 2000;

export interface CopySought {
  /** The conversation, as the command and the copy name it: its id or its file. */
  readonly of: string;
  /** Where its agent was started. */
  readonly folder: string;
  readonly sinceMs: number;
}

/** The one that says of itself that it is a copy of that conversation; null: there is none, or more than one, and nobody knows which. */
export function copyNamed(
  adapter: AgentAdapter,
  found: readonly FoundTranscript[],
  { of, folder, sinceMs }: CopySought,
): { readonly path: string; readonly nativeId: string } | null {
  const [only, ...others] = found
    .filter(({ child, modifiedMs }) => child === undefined && modifiedMs >= sinceMs - CLOCK_SLACK_MS)
    .slice(0, LOOKED_INTO)
    .flatMap((one) => {
      const head = headOrNull(adapter, one);
      return head?.parent === of && head.cwd === folder ? [{ path: one.path, nativeId: head.nativeId }] : [];
    });
  return only && others.length === 0 ? only : null;
}

/** What counts of both: what was said, and what was called. Results and ends belong to what they stand behind. */
export const isSaid = (heard: Heard): boolean =>
  heard.kind === "call" || (heard.kind === "message" && heard.from !== "machinery");

/** How many messages and calls at the beginning of `copy` are those of `original`, in the same order, from the first on. */
export function copiedCount(
  { transcript }: AgentAdapter,
  copy: Pick<FoundTranscript, "path" | "nativeId">,
  original: Pick<FoundTranscript, "path" | "nativeId">,
): number {
  const said = (one: typeof copy): readonly string[] => {
    const keys: string[] = [];
    const hear = (heard: Heard): void => void (isSaid(heard) && keys.push(keyOf(heard)));
    readTranscript(one, transcript, { hear, damaged: () => undefined });
    return keys;
  };
  const [before, now] = [said(original), said(copy)];
  const differs = now.findIndex((key, at) => key !== before[at]);
  return differs === -1 ? now.length : differs;
}

/** Ids of messages may be made of the transcript's own; those of calls are the model's. */
function keyOf(heard: Heard): string {
  const words =
    heard.kind === "message"
      ? [heard.role, ...heard.parts.map((part) => (isText(part) ? part.text : JSON.stringify(part)))]
      : heard.kind === "call"
        ? [heard.tool, heard.id]
        : [];
  return createHash("sha256").update(JSON.stringify(words)).digest("base64url");
}
