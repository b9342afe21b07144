/**
 * Texts that are not light (parse-room.ts) are looked into by a process of its own, one after the other, within bounds of time and memory: a
 * parser that overflows its stack, fills the memory or never ends then costs its file the evidence, and never the command (T5, S3).
 * The process is started by the first such text and ends with the command: it hears the end of its channel.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PARSE_ALONE_CPU_S, PARSE_ALONE_HEAP_MB, PARSE_ALONE_MS } from "../../model/limits.ts";
import { builtFile } from "../../platform/own-files.ts";
import { languageOfFile, unlookedFacts } from "../../triage/facts/analyse-file.ts";
import type { Analysis, AnalysisOrder, AnalysisPart } from "../../triage/facts/known/analysis.ts";
import type { FileFacts } from "../../triage/facts/known/file-facts.ts";
import { isLight, mostBytes } from "../../triage/facts/parse/parse-room.ts";

export interface AnalysisApart extends Analysis {
  close(): Promise<void>;
}

export interface ApartOptions {
  readonly file?: URL;
  readonly timeoutMs?: number;
}

/** A tree in which more files kill their parser is hostile: each costs a start and up to the whole time, so the rest is not tried. */
const MAX_DEATHS = 5;

/** What became of one order. */
type ApartAnswer =
  | { readonly kind: "found"; readonly texts: string[] }
  | { readonly kind: "died"; readonly why: string; readonly isPassing: boolean }
  | { readonly kind: "not-started" };

export function analysisApart(
  inner: Analysis & { close?(): Promise<void> },
  options: ApartOptions = {},
): AnalysisApart {
  const file = options.file ?? builtFile("salvage/analysis/process.js");
  const timeoutMs = options.timeoutMs ?? PARSE_ALONE_MS;
  let child: ChildProcess | null = null;
  let deaths = 0;
  let last: Promise<unknown> = Promise.resolve();
  const askNext = async (order: AnalysisOrder): Promise<string[]> => {
    if (deaths >= MAX_DEATHS) return unlooked(order, { why: TOO_MANY, isPassing: true });
    if (child?.connected !== true) child = existsSync(file) ? start(file) : null;
    const answer: ApartAnswer = child ? await ask(child, order, timeoutMs) : { kind: "not-started" };
    if (answer.kind === "found") return answer.texts;
    child = null;
    // Without a process of its own it is not parsed: that is told where it is refused.
    if (answer.kind === "not-started") return inner.look(order);
    deaths++;
    return unlooked(order, answer);
  };
  return {
    // One more than the others take: while it waits for this process, they go on.
    width: inner.width + 1,
    look: (order) => {
      if (!isHeavy(order)) return inner.look(order);
      const answer = last.then(() => askNext(order));
      last = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      child?.kill("SIGKILL");
      child = null;
      await inner.close?.();
    },
  };
}

const TOO_MANY = `it may need much, and ${MAX_DEATHS} files had killed their parsers before it`;

/** What is too large is refused before it is parsed, wherever that is. */
function isHeavy({ path, fromPath, before, after }: AnalysisOrder): boolean {
  const isOneHeavy = (at: string, bytes: Uint8Array | null): boolean =>
    bytes !== null && bytes.length <= mostBytes(at) && !isLight(languageOfFile(at, bytes), bytes);
  return isOneHeavy(path, after) || isOneHeavy(fromPath, before);
}

/**
 * Without a core file, which would lie in somebody's folder; and without the time to go on for ever where the command is killed while
 * a parser does not end.
 */
const BOUNDED = `ulimit -c 0; ulimit -t ${PARSE_ALONE_CPU_S}; exec "$0" "$@"`;

function start(file: URL): ChildProcess {
  const program = [process.execPath, `--max-old-space-size=${PARSE_ALONE_HEAP_MB}`, fileURLToPath(file)];
  return spawn("/bin/sh", ["-c", BOUNDED, ...program], {
    cwd: "/",
    // Bytes as they are.
    serialization: "advanced",
    // What a dying engine says of itself is for nobody.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

function ask(child: ChildProcess, order: AnalysisOrder, timeoutMs: number): Promise<ApartAnswer> {
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    const settle = (answer: ApartAnswer): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      // A process that has nothing to do keeps no command from ending.
      child.unref();
      child.channel?.unref();
      resolve(answer);
    };
    child.ref();
    child.channel?.ref();
    child.once("message", (texts) => settle({ kind: "found", texts: texts as string[] }));
    child.once("error", () => settle({ kind: "not-started" }));
    child.once("exit", (code, signal) => settle(endOf(code, signal, isLate ? timeoutMs : null)));
    child.send(order, (error) => {
      // Its end, with the reason, is on the way.
      if (error && child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    });
  });
}

/** Killed by somebody else (the system, for memory): another time it may live. What it did to itself it does again. */
function endOf(code: number | null, signal: string | null, lateAfterMs: number | null): ApartAnswer {
  if (lateAfterMs !== null)
    return { kind: "died", why: `its parser took longer than ${lateAfterMs / 1000} s`, isPassing: false };
  const how = signal === null ? `exit code ${code}` : signal;
  return {
    kind: "died",
    why: `its parser died of it (${how})`,
    isPassing: signal === "SIGKILL" || signal === "SIGTERM",
  };
}

function unlooked(order: AnalysisOrder, why: Parameters<typeof unlookedFacts>[2]): string[] {
  const NOTHING = new Uint8Array(0);
  const factsOf = (part: AnalysisPart): FileFacts | null => {
    switch (part) {
      case "before":
        return unlookedFacts(order.fromPath, order.before ?? NOTHING, why);
      case "after":
        return unlookedFacts(order.path, order.after ?? NOTHING, why);
      case "delta":
        return null;
    }
  };
  return order.asked.map((part) => JSON.stringify(factsOf(part)));
}
