/**
 * What saw the end of a change (S3): a capture that was taken at the end of an operation while its author waited, or a call
 * that ended well and recorded all that it wrote, where the file still is what they saw. Pure.
 *
 * A capture that follows a marker on stdout is no such witness: nobody waited for it, and it may show what came next.
 */
import { createHash } from "node:crypto";
import type { FoldedCall } from "../../conversation/fold.ts";
import { NOW } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { ChangeFact } from "../../triage/facts/known/triage-facts.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import { editingCalls } from "../../workspace/owning/replayed-end.ts";
import type { SessionTrack } from "../../workspace/owning/track.ts";
import { hasFailed, type SessionStory } from "./session-story.ts";

interface EndSources {
  readonly owned: { readonly track: SessionTrack | null };
  readonly story: Pick<SessionStory, "calls">;
}

export function endsSeen(
  { change }: Pick<ChangeFact, "change">,
  { owned: { track }, story }: EndSources,
): Pick<ChangeFact, "seenAtEnds" | "isAsWritten"> {
  const seenAtEnds = track ? operationsSeen(pathsOf(change), track) : [];
  const { to } = change;
  const isAsWritten =
    track !== null &&
    to?.kind === "file" &&
    to.hash !== null &&
    change.fromPath === undefined &&
    story.calls.some((call) => hasWritten(call, change.path, to, track));
  return {
    ...(seenAtEnds.length > 0 ? { seenAtEnds } : {}),
    ...(isAsWritten ? { isAsWritten } : {}),
  };
}

/** Another call that was at work meanwhile changed the bytes since, or never ended and is risky for that (open-call). */
function operationsSeen(paths: readonly PathName[], { captures }: SessionTrack): string[] {
  const now = captures.find(({ id }) => id === NOW);
  if (!now) return [];
  return captures
    .filter(({ keyAt }) => paths.every((path) => keyAt(path) !== null && keyAt(path) === now.keyAt(path)))
    .flatMap(({ ended = [] }) => ended);
}

/** Fields in which agents of this field hand over a whole file. */
const WHOLE_FIELDS = ["content", "contents", "file_text"] as const;

function hasWritten(
  call: FoldedCall,
  path: PathName,
  { hash, size }: { readonly hash: string | null; readonly size: number },
  track: SessionTrack,
): boolean {
  const { input, result } = call;
  if (!result || result.isSynthetic || result.status !== "done" || hasFailed(call)) return false;
  const { heard, paths: named = [] } = track.calls.find(({ id }) => id === call.id) ?? {};
  // Of what was heard its adapter knows what was written, whatever the agent calls it. What a later call changed it did not see the end of.
  if (heard)
    return (
      heard.wrote.get(path) === hash && (editingCalls(path, track.calls).at(-1)?.id ?? call.id) === call.id
    );
  if (!isJsonObject(input)) return false;
  if (named.length !== 1 || named[0] !== path) return false;
  return WHOLE_FIELDS.some((field) => {
    const text = input[field];
    return typeof text === "string" && Buffer.byteLength(text) === size && sha256(text) === hash;
  });
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
