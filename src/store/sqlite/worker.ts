/** The worker thread: opens the driver and answers calls until told to close. Nothing of it blocks the library's thread. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../platform/clock.ts";
import { openSqliteDriver } from "./driver.ts";
import { useGate } from "./native-gate.ts";
import {
  type CallMessage,
  type OpenedMessage,
  type Reply,
  toWire,
  type WorkerInput,
} from "./thread-protocol.ts";

async function serve(): Promise<void> {
  if (!parentPort) return;
  const port = parentPort;
  const { path, acceptLoss, gate } = workerData as WorkerInput;
  if (gate) useGate(gate);
  let driver: Awaited<ReturnType<typeof openSqliteDriver>>;
  try {
    driver = await openSqliteDriver({ path, acceptLoss, clock: systemClock });
  } catch (thrown) {
    port.postMessage({ kind: "failed", error: toWire(thrown) } satisfies OpenedMessage);
    return;
  }
  port.on("message", async ({ id, method, args }: CallMessage) => {
    let reply: Reply;
    try {
      const value = await (driver[method] as (...all: unknown[]) => Promise<unknown>)(...args);
      reply = { id, kind: "value", value };
    } catch (thrown) {
      reply = { id, kind: "error", error: toWire(thrown) };
    }
    port.postMessage(reply);
    if (method === "close") leave(port);
  });
  port.postMessage({ kind: "opened" } satisfies OpenedMessage);
}

/** Deno's port has no end of its own: there the thread as a whole is closed. */
function leave(port: MessagePort): void {
  if (typeof port.close === "function") port.close();
  else (globalThis as { close?(): void }).close?.();
}

void serve();
