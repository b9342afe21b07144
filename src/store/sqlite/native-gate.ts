/**
 * @photostructure/sqlite (Node 20) aborts the whole process when its thread is ended inside one of its calls:
 * `process.exit(0)`, or an uncaught error, while a commit is under way would come out as SIGABRT, with the wrong
 * exit code (T1). So the store's thread says when it is inside, and the process's exit waits for it to come out.
 * Nothing is lost either way: what is cut off was not acknowledged (D1).
 */

const INSIDE = 0;
const ENDING = 1;
/** A call ends with its sync; a disk that takes longer than this is not waited for. */
const MAX_WAIT_MS = 5000;

type Gate = Int32Array<SharedArrayBuffer>;

/** Shared by the library's thread and the store's. */
export const newGateBuffer = (): SharedArrayBuffer => new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);

let own: Gate | null = null;

/** On the store's thread, before it opens anything. */
export function useGate(buffer: SharedArrayBuffer): void {
  own = new Int32Array(buffer);
}

/** Every call into SQLite. Without a gate (the caller's own thread, node:sqlite) it is just the call. */
export function throughGate<T>(work: () => T): T {
  if (!own) return work();
  Atomics.store(own, INSIDE, 1);
  if (Atomics.load(own, ENDING) === 1) {
    leave(own);
    Atomics.wait(own, ENDING, 1); // the process is ending and takes this thread with it
  }
  try {
    return work();
  } finally {
    leave(own);
  }
}

function leave(gate: Gate): void {
  Atomics.store(gate, INSIDE, 0);
  Atomics.notify(gate, INSIDE);
}

const watched = new Set<Gate>();

/** On the library's thread: the process does not end while the store's thread is inside. The result ends the watch. */
export function watchGate(buffer: SharedArrayBuffer): () => void {
  const gate: Gate = new Int32Array(buffer);
  if (watched.size === 0) process.on("exit", closeGates);
  watched.add(gate);
  return () => {
    watched.delete(gate);
    if (watched.size === 0) process.off("exit", closeGates);
  };
}

function closeGates(): void {
  for (const gate of watched) {
    Atomics.store(gate, ENDING, 1);
    if (Atomics.load(gate, INSIDE) === 1) Atomics.wait(gate, INSIDE, 1, MAX_WAIT_MS);
  }
}
