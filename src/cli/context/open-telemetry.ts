/** OpenTelemetry where the user has set it up in this process (`NODE_OPTIONS=--import ./otel.mjs`); else one look at a global, and nothing is loaded. */
import { systemClock } from "../../platform/clock.ts";
import type { Output } from "../screen/output.ts";

/** Where @opentelemetry/api keeps what was registered, whichever copy of it did. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

const INSTALL =
  "refloat: OpenTelemetry is set up here, and nothing is told: it takes @opentelemetry/api beside refloat";

/** Those that run agents; a hook's or a list's own process has nothing to tell. */
const RUN_AGENTS: ReadonlySet<string> = new Set(["run", "loop", "resume", "worker", "acp"]);

/** What is to be awaited at the end. */
export async function toldToOpenTelemetry(
  command: string,
  { complain }: Output,
): Promise<() => Promise<void>> {
  if (!RUN_AGENTS.has(command)) return async () => undefined;
  const registered: unknown = Reflect.get(globalThis, REGISTERED);
  const { trace, metrics } = isRecord(registered) ? registered : {};
  if (!trace && !metrics) return async () => undefined;
  try {
    const { tellSdk } = await import("../../adapters/opentelemetry/for-command.ts");
    const telling = tellSdk(trace ?? metrics, systemClock);
    if (telling) return () => telling.stop();
    complain(`${INSTALL}, no newer than the one that was set up.`);
  } catch (thrown) {
    if (!isRecord(thrown) || thrown.code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    complain(`${INSTALL}: npm install --global @opentelemetry/api`);
  }
  return async () => undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
