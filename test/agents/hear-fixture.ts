/** A fixture of an agent's home, heard: its status, calls, damage and everything said, in order. */
import { AGENTS } from "../../src/agents/registry.ts";
import { HeardFold } from "../../src/agents/transcript/fold-heard.ts";
import { readTranscript, recognizeTranscript } from "../../src/agents/transcript/read-transcript.ts";
import type { AgentAdapter, FoundTranscript } from "../../src/agents/words/adapter.ts";
import type { Heard } from "../../src/agents/words/heard.ts";

/** `/nowhere`: a folder of no session, so that all of the agent's are found. */
export const transcriptsOf = (agent: AgentAdapter, home: string): readonly FoundTranscript[] =>
  agent.places.find({ home, env: {} }, "/nowhere");

export function hearFixture(agent: AgentAdapter, found: FoundTranscript): unknown {
  const fold = new HeardFold();
  const all: Heard[] = [];
  const damage: unknown[] = [];
  readTranscript(found, agent.transcript, {
    hear(heard) {
      fold.hear(heard);
      all.push(heard);
    },
    damaged: (one) => damage.push(one),
  });
  return {
    told: recognizeTranscript(found.path, AGENTS)?.name ?? null,
    nativeId: found.nativeId,
    session: fold.session,
    status: fold.status(false),
    messages: fold.messages,
    calls: fold.calls(false),
    plan: fold.plan,
    unknown: [...fold.unknownTypes],
    damage,
    heard: all,
  };
}

/** Everything that is heard of a fixture, whatever the file. */
export function heardOf(agent: AgentAdapter, home: string): readonly Heard[] {
  const all: Heard[] = [];
  const ears = { hear: (heard: Heard) => void all.push(heard), damaged: () => undefined };
  for (const found of transcriptsOf(agent, home)) readTranscript(found, agent.transcript, ears);
  return all;
}
