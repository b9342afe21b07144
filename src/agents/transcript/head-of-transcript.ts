/** Whose session a transcript is, from its beginning alone: looked at for every file in an agent's folders. */
import type { AgentAdapter, FoundTranscript } from "../words/adapter.ts";
import type { HeardSession } from "../words/heard.ts";
import { firstObjects } from "./read-lines.ts";
import { readTranscript } from "./read-transcript.ts";

export interface TranscriptHead {
  readonly nativeId: string;
  readonly cwd: string | null;
}

/** Null: it is not this agent's, or does not say whose session it is. */
export function headOf({ transcript }: AgentAdapter, found: FoundTranscript): TranscriptHead | null {
  switch (transcript.storage) {
    case "lines": {
      const first = firstObjects(found.path);
      if (!transcript.recognizes(first)) return null;
      const reader = transcript.reader(found.path);
      return fromSessions(found, first.flatMap((line) => reader.read(line)).filter(isSession));
    }
    case "document": {
      const sessions: HeardSession[] = [];
      const hear = (heard: { readonly kind: string }): void => {
        if (isSession(heard)) sessions.push(heard);
      };
      readTranscript(found, transcript, { hear, damaged: () => undefined });
      return fromSessions(found, sessions);
    }
    case "database":
      return found.nativeId === null ? null : { nativeId: found.nativeId, cwd: found.cwd ?? null };
  }
}

const isSession = (heard: { readonly kind: string }): heard is HeardSession => heard.kind === "session";

/** Its folder by its own words, else by what lies beside it. */
function fromSessions(found: FoundTranscript, sessions: readonly HeardSession[]): TranscriptHead | null {
  const [first] = sessions;
  if (!first || first.nativeId === "") return null;
  const cwd = sessions.find((one) => one.cwd !== null)?.cwd ?? found.cwd ?? null;
  return { nativeId: first.nativeId, cwd };
}
