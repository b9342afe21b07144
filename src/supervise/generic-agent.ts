/**
 * Any program at all as an agent: it reports nothing of itself but text markers, hears no notice and knows no way back
 * into its conversation.
 */
import { type Agent, defaultLadder } from "./agent.ts";
import { MarkerReader } from "./text-markers.ts";

export function genericAgent(name: string): Agent {
  return {
    name,
    reportsTurns: false,
    prepare: (command) => ({ command, env: {}, nativeId: null }),
    reader: () => new MarkerReader(),
    stopLadder: defaultLadder,
    notice: () => null,
    resume: () => null,
  };
}
