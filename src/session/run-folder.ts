/**
 * What a supervisor keeps beside the store while its agent runs, for whoever comes after a kill: the end of the
 * output and the descendants it saw. One folder per attempt under the store's home; both are bounded, written
 * without syncs (a power cut ends the processes anyway) and gone when the end
 * is on record: by the supervisor itself, else by a later start (recover/recover-sessions.ts).
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parsedOrNull } from "../model/json.ts";
import { writeAtomic } from "../platform/durable-file.ts";
import { ifThere } from "../platform/io-error.ts";
import type { ProcessName } from "../platform/stop-process.ts";
import { readTail, type Tail } from "../platform/tail-file.ts";
import { lastWholeLines } from "../text/last-lines.ts";
import { screenWords, type TerminalSize } from "../text/screen-words.ts";

/** What a manifest shows of an agent's last output: a screenful or two. */
export const KEPT_OUTPUT_BYTES = 4096;

/** An agent with more processes than this at once is a build farm; the marked ones are found without the list. */
const MAX_SEEN_PROCESSES = 2000;

const seenProcess = z.looseObject({ pid: z.number().int(), started: z.number() });
const seenFile = z.looseObject({ boot: z.string(), processes: z.array(seenProcess) });

/** By a hash: no id is ever used as a file name. */
export const runFolderName = (session: string): string =>
  createHash("sha256").update(session).digest("hex").slice(0, 32);

export function runFolder(home: string, session: string, attempt: number): string {
  return join(home, "runs", `${runFolderName(session)}.${attempt}`);
}

export interface RunFolder {
  readonly path: string;
  /** Its name by `runFolderName`. */
  readonly session: string;
  readonly attempt: number;
}

/** Every run folder there is; what has another kind of name is not ours. */
export function runFoldersIn(home: string): RunFolder[] {
  const runs = join(home, "runs");
  return (ifThere(runs, () => readdirSync(runs)) ?? []).flatMap((name) => {
    const [, session, attempt] = /^([0-9a-f]{32})\.(\d{1,9})$/.exec(name) ?? [];
    return session ? [{ path: join(runs, name), session, attempt: Number(attempt) }] : [];
  });
}

export interface PrintedHow {
  /** What a stream of JSON says; left out: what is printed is for people. */
  readonly words?: ((text: string) => string | Promise<string>) | undefined;
  /** It was printed at a terminal of that size; null: into a pipe. */
  readonly terminal: TerminalSize | null;
}

/** The last whole lines an attempt printed, at most 4 KiB; null when none were kept. */
export async function readOutputTail(
  home: string,
  session: string,
  attempt: number,
  how: PrintedHow,
): Promise<string | null> {
  const tail = readTail(runFolder(home, session, attempt));
  return tail && tailWords(tail, { ...how, isEnded: false });
}

/** The last lines of what was kept, in words. `isEnded`: what stands after the last line feed is a whole line. */
export async function tailWords(
  tail: Tail,
  { words, terminal, isEnded }: PrintedHow & { readonly isEnded: boolean },
): Promise<string | null> {
  const printed = tail.bytes.toString("utf8");
  const said = (await words?.(printed)) ?? printed;
  if (said !== printed)
    return lastWholeLines(Buffer.from(said), { maxBytes: KEPT_OUTPUT_BYTES, isEnded: true });
  const shown = terminal && (await shownWords({ ...tail, size: terminal, isEnded }));
  const bytes = shown === null ? tail.bytes : Buffer.from(shown);
  return lastWholeLines(bytes, { maxBytes: KEPT_OUTPUT_BYTES, isEnded: isEnded || shown !== null });
}

/** Null: there is no screen model here. An end is recorded all the same, with the words of the bytes. */
async function shownWords(printed: Parameters<typeof screenWords>[0]): Promise<string | null> {
  try {
    return await screenWords(printed);
  } catch (_noModel) {
    return null;
  }
}

/** The descendants the supervisor of an attempt saw, if they were seen on this start of the machine; else none. */
export function readSeenProcesses(
  home: string,
  session: string,
  { attempt, boot }: { readonly attempt: number; readonly boot: string },
): readonly ProcessName[] {
  const path = seenPath(runFolder(home, session, attempt));
  const text = ifThere(path, () => readFileSync(path, "utf8"));
  // Torn by a power cut: then its processes are gone as well.
  const parsed = seenFile.safeParse(parsedOrNull(text ?? ""));
  return parsed.success && parsed.data.boot === boot ? parsed.data.processes : [];
}

export function writeSeenProcesses(folder: string, boot: string, processes: readonly ProcessName[]): void {
  const kept = processes.slice(-MAX_SEEN_PROCESSES);
  writeAtomic(seenPath(folder), JSON.stringify({ boot, processes: kept }));
}

const seenPath = (folder: string): string => join(folder, "seen.json");
