/** Whose session a transcript is, from its beginning alone: looked at for every file in an agent's folders. */
import type { AgentAdapter, FoundTranscript } from "../words/adapter.ts";
import type { Heard, HeardSession } from "../words/heard.ts";
import { firstObjects } from "./read-lines.ts";
import { readTranscript } from "./read-transcript.ts";

export interface TranscriptHead {
  readonly nativeId: string;
  readonly cwd: string | null;
  /** The first time in it; null: it says none. */
  readonly beganMs: number | null;
  /** The conversation it says it came out of, by its id or its file; null: it says none. */
  readonly parent: string | null;
}

/** Null: it is not this agent's, or does not say whose session it is. */
export function headOf({ transcript }: AgentAdapter, found: FoundTranscript): TranscriptHead | null {
  switch (transcript.storage) {
    case "lines": {
      const first = firstObjects(found.path);
      if (!transcript.recognizes(first)) return null;
      const reader = transcript.reader(found.path);
      const heard = first.flatMap((line) => reader.read(line));
      return fromSessions(found, heard.filter(isSession), firstTime(heard));
    }
    case "document": {
      const sessions: HeardSession[] = [];
      let beganMs: number | null = null;
      const hear = (heard: Heard): void => {
        if (isSession(heard)) sessions.push(heard);
        beganMs ??= firstTime([heard]);
      };
      readTranscript(found, transcript, { hear, damaged: () => undefined });
      return fromSessions(found, sessions, beganMs);
    }
    case "database": {
      const { nativeId, cwd = null, beganMs = null } = found;
      return nativeId === null ? null : { nativeId, cwd, beganMs, parent: null };
    }
  }
}

const isSession = (heard: Heard): heard is HeardSession => heard.kind === "session";

function firstTime(heard: readonly Heard[]): number | null {
  for (const one of heard) if (one.kind !== "unknown" && one.at !== null) return one.at;
  return null;
}

/** Its folder by its own words, else by what lies beside it. */
function fromSessions(
  found: FoundTranscript,
  sessions: readonly HeardSession[],
  beganMs: number | null,
): TranscriptHead | null {
  const [first] = sessions;
  if (!first || first.nativeId === "") return null;
  const cwd = sessions.find((one) => one.cwd !== null)?.cwd ?? found.cwd ?? null;
  const parent = sessions.find((one) => one.parent !== null)?.parent ?? null;
  return { nativeId: first.nativeId, cwd, beganMs, parent };
}
