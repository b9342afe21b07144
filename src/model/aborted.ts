/** The end of a wait that its caller called off. Named as the platform names it, so that `error.name === "AbortError"` holds. */
import { RefloatError } from "./errors.ts";

export class Aborted extends RefloatError {
  override readonly name = "AbortError";

  constructor(what: string, signal: AbortSignal) {
    super("E_ABORTED", { what }, signal.reason);
  }
}

/** `what`: a noun for the message, "The wait for session x". */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new Aborted(what, signal);
}

/** Waits no longer than the signal allows. What was waited for goes on; nobody hears of its failure then. */
export async function unlessAborted<T>(
  waiting: Promise<T>,
  signal: AbortSignal | undefined,
  what: string,
): Promise<T> {
  if (!signal) return waiting;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(new Aborted(what, signal));
    stop = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  waiting.catch(() => undefined); // its failure after the abort is nobody's
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    stop();
  }
}

/** What `source` gives, until it is called off: then it is over at once, also where the next is waited for from something that does not answer. */
export async function* untilAborted<T>(
  source: AsyncGenerator<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const next = await unlessAborted(source.next(), signal, "Reading");
      isWaiting = false;
      if (next.done || signal?.aborted) return;
      yield next.value;
    }
  } catch (thrown) {
    if (!(thrown instanceof Aborted)) throw thrown;
  } finally {
    const ended = source.return(undefined);
    // Its end comes after the one that is waited for, and nobody waits for that any more.
    if (isWaiting) ended.catch(() => undefined);
    else await ended;
  }
}
