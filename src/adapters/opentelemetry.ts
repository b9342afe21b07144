/**
 * `refloat/opentelemetry`: sessions, turns and calls as spans, and how long they took and how sessions were found as metrics, by the API
 * package alone; which SDK sends them where is the program's. docs/opentelemetry.md.
 */
import { listenForSpans } from "./opentelemetry/spans.ts";

/** Listens until it is stopped. Sessions begun before are heard, too, from their next turn or call on. */
export function instrument(): { stop(): void } {
  return listenForSpans({ isBegunHereOnly: false });
}
