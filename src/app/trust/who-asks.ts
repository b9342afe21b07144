/**
 * T2: a face that others' processes ask (the page's server) acts for whoever asks. That he is no agent is told by the marks his
 * process stands under, and by those that the server itself began under: whoever started it may be gone by then.
 */
import { type Ports, pidsAtOtherEnd } from "../../platform/listening.ts";
import type { Environment } from "../../platform/places.ts";
import { judgedAbove, judgedSessions } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";

/** The sessions under whose marks this process began; asked once, at its beginning. */
export function beganUnder(env: Environment): () => readonly string[] {
  const began = judgedSessions(env);
  return () => began;
}

/** The place as whoever is at the other end of a connection of this machine may use it. */
export function askedThrough<Place extends AppPlace>(at: Place, ports: Ports): Place {
  const standsUnder = (): readonly string[] => [
    ...(at.standsUnder?.() ?? []),
    ...pidsAtOtherEnd(ports).flatMap(judgedAbove),
  ];
  return { ...at, standsUnder };
}
