/** The sessions that a command runs, told to the SDK that its user set up in this process, and sent before the process ends. */
import { metrics, trace } from "@opentelemetry/api";
import type { Clock } from "../../platform/clock.ts";
import { within } from "../../platform/within.ts";
import { listenForSpans } from "./spans.ts";

/** A collector that does not answer must not keep a command from its end. */
const FLUSH_MS = 2000;

/** Null: the API package here is another than the one that was set up, and cannot speak to it. */
export function tellSdk(registered: unknown, clock: Clock): { stop(): Promise<void> } | null {
  const [tracers, meters] = [trace.getTracerProvider(), metrics.getMeterProvider()];
  if (tracers !== registered && meters !== registered) return null;
  const listening = listenForSpans({ isBegunHereOnly: true });
  return {
    stop: async () => {
      listening.stop();
      if (listening.hasTold())
        await within(clock, FLUSH_MS, Promise.allSettled([tracers, meters].map(flushed)));
    },
  };
}

/** Not in the API: every SDK's own provider has it, behind the one that the API hands out. */
async function flushed(provider: object): Promise<void> {
  const given: unknown = "getDelegate" in provider ? call(provider, "getDelegate") : provider;
  if (typeof given === "object" && given !== null) await call(given, "forceFlush");
}

function call(on: object, name: string): unknown {
  const method: unknown = Reflect.get(on, name);
  return typeof method === "function" ? Reflect.apply(method, on, []) : undefined;
}
