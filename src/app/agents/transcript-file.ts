/** A transcript that somebody named: the file, and whose it is, told by content unless it was said. */
import { resolve } from "node:path";
import { AGENTS, agentNamed } from "../../agents/registry.ts";
import { recognizeTranscript } from "../../agents/transcript/read-transcript.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { RefloatError } from "../../model/errors.ts";
import type { AppPlace } from "../place/app-place.ts";

export interface TranscriptOrder {
  /** As it was typed. */
  readonly file: string;
  /** Null: told by content. */
  readonly agent: string | null;
}

export interface TranscriptFile {
  readonly path: string;
  readonly agent: AgentAdapter;
}

const names = (): string => AGENTS.map(({ name }) => name).join(", ");

export function transcriptFile(at: Pick<AppPlace, "place">, order: TranscriptOrder): TranscriptFile {
  const path = resolve(at.place(), order.file);
  const named = order.agent === null ? null : agentNamed(order.agent);
  if (order.agent !== null && named === null)
    throw new RefloatError("E_USAGE", {
      why: `--agent ${order.agent}: no agent of that name is known. There are: ${names()}.`,
    });
  const agent = named ?? recognizeTranscript(path, AGENTS);
  if (agent === null) throw new RefloatError("E_NO_TRANSCRIPT", { path, agents: names() });
  return { path, agent };
}
