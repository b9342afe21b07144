/**
 * The SQLite driver on a worker thread (the library's default): a commit's sync never stops the caller's
 * event loop. The worker keeps the process alive only while a call is under way.
 */
import type { Worker } from "node:worker_threads";
import { RefloatError } from "../../model/errors.ts";
import type { Chunk, Driver } from "../contract/driver.ts";
import { sqliteEngineName } from "./load.ts";
import { newGateBuffer, watchGate } from "./native-gate.ts";
import { startThread } from "./start-thread.ts";
import {
  type CallMessage,
  type DriverMethod,
  fromWire,
  type OpenedMessage,
  type Reply,
  type WorkerInput,
} from "./thread-protocol.ts";

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

const METHODS: readonly DriverMethod[] = [
  "commit",
  "commitFirst",
  "readSession",
  "listSessions",
  "listSessionIds",
  "listWorkspaces",
  "readRecords",
  "readRecordById",
  "readOpen",
  "readOpenAmong",
  "readRefs",
  "putChunks",
  "putWhole",
  "hasChunks",
  "readContent",
  "readChunk",
  "listChunks",
  "replaceChunk",
  "clearFiles",
  "listContents",
  "unnamed",
  "gc",
  "forget",
  "deleteSession",
  "orders",
  "putOrder",
  "dropOrder",
  "version",
  "waitForCommit",
  "checkEngine",
  "backup",
  "bytesOnDisk",
  "info",
  "close",
];

export async function openThreadDriver(store: Omit<WorkerInput, "gate">): Promise<Driver> {
  const gate = sqliteEngineName === "node:sqlite" ? null : newGateBuffer();
  const input: WorkerInput = { ...store, gate };
  const worker = startThread(input);
  const unwatch = gate ? watchGate(gate) : (): void => undefined;
  worker.once("exit", unwatch);
  await opened(worker);
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  let ending: Error | null = null;

  worker.on("message", (reply: Reply) => {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if (pending.size === 0) worker.unref();
    if (reply.kind === "value") waiting?.resolve(reply.value);
    else waiting?.reject(fromWire(reply.error));
  });
  const end = (error: Error): void => {
    ending ??= error;
    for (const waiting of pending.values()) waiting.reject(error);
    pending.clear();
  };
  worker.on("error", (error) =>
    end(new RefloatError("E_INTERNAL", { why: "the store's thread failed" }, error)),
  );
  worker.on("exit", () => end(new RefloatError("E_CLOSED", { what: "store" })));
  worker.unref();

  function call(
    method: DriverMethod,
    args: readonly unknown[],
    transfer: ArrayBuffer[] = [],
  ): Promise<unknown> {
    if (ending) return Promise.reject(ending);
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, method, args } satisfies CallMessage, transfer);
    });
  }

  const methods = Object.fromEntries(
    METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)]),
  );
  // A view sent as it is would take the whole buffer it looks into along, once per chunk.
  const copied = (chunks: readonly Chunk[]) => {
    const own = chunks.map(({ hash, bytes }) => ({ hash, bytes: new Uint8Array(bytes) }));
    return { own, buffers: own.map(({ bytes }) => bytes.buffer) };
  };
  const putChunks: Driver["putChunks"] = async (chunks, content, nowMs) => {
    const { own, buffers } = copied(chunks);
    await call("putChunks", [own, content, nowMs], buffers);
  };
  const putWhole: Driver["putWhole"] = async (contents, nowMs) => {
    const { own, buffers } = copied(contents);
    await call("putWhole", [own, nowMs], buffers);
  };
  return { kind: "sqlite", ...methods, putChunks, putWhole } as unknown as Driver;
}

/** The first message says whether the store could be opened; its error is the caller's. */
function opened(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (message: OpenedMessage) => {
      worker.off("error", reject);
      if (message.kind === "opened") resolve();
      else reject(fromWire(message.error));
    });
  });
}
