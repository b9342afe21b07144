/**
 * Any program at all as an agent: it reports nothing of itself but text markers, hears no notice and knows no way back
 * into its conversation.
 */
import { type Agent, defaultLadder, type LimitSigns } from "./agent.ts";
import { MarkerReader } from "./text-markers.ts";

const NO_LIMIT: LimitSigns = { reader: () => null, code: null };

/** `limit`: what its user says of it. */
export function genericAgent(name: string, limit: LimitSigns = NO_LIMIT): Agent {
  return {
    name,
    limit,
    reportsTurns: false,
    prepare: (command) => ({ command, env: {}, nativeId: null }),
    reader: () => new MarkerReader(),
    stopLadder: defaultLadder,
    notice: () => null,
    resume: () => null,
  };
}
