/**
 * One event of an agent's hook as a file of the inbox (DESIGN 5). Text that a shell can write without starting anything, and whose end can
 * be seen to be there:
 *
 *   refloat-hook 1
 *   agent claude
 *   event PreToolUse
 *   ancestor 4711 91234 claude
 *   body
 *   {...}
 *   end refloat-hook
 *
 * A value has `\` as `\\` and a line feed as `\n`, so that a folder's name cannot write lines of its own. The closing line counts only as the
 * last line: the payload may hold the same words (T3). Without it the file is torn.
 */

import { MAX_TIME_MS } from "../../model/limits.ts";

/** The first line; another number is a newer refloat's form and is left for it (D5). */
const FIRST = "refloat-hook 1";
const BODY = "body";
const LAST = "end refloat-hook";

/** What a file of the inbox is called. The name without its ending is the record's id: taken in once, however often it is read (D4). */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{7,119}$/u;
export const INBOX_ENDING = ".hook";

/** Lines above the body. The recorder writes under 20; a file with more was not written by it (T5). */
const MAX_FIELDS = 64;
/** Processes above the hook: the agent, its launchers, the shell, the terminal. */
export const MAX_ANCESTORS = 8;

export interface HookAncestor {
  readonly pid: number;
  /** Clock ticks since boot, as /proc/PID/stat has it. */
  readonly start: number;
  readonly comm: string;
}

/** What is held of the tree as it was before the call. `none`: the call went on without, and why. */
export type BeforeImage =
  | {
      readonly kind: "held";
      readonly capture: string;
      /** Of other work trees that the command may have meant. */
      readonly also?: string[];
      /** What the command takes away and no capture has: paths, or in words. */
      readonly without?: string[];
    }
  | { readonly kind: "none"; readonly reason: string };

export interface InboxEvent {
  readonly agent: string;
  readonly event: string;
  /** Milliseconds since 1970, for people; null: the writer had no clock at hand, the file's own time is as good. */
  readonly atMs: number | null;
  /** Hundredths of a second since boot: the order among files of one boot; null: not known. */
  readonly uptime: number | null;
  /** The folder the hook was called in. What the payload says of folders is in the payload. */
  readonly cwd: string | null;
  /** `REFLOAT_SESSION` as the hook found it. */
  readonly mark: string | null;
  readonly boot: string | null;
  /** As /proc/self/ns/pid names it; written at a session's start and at prompts only, since a shell must start a program for it. */
  readonly pidNamespace: string | null;
  /** The hook's parent first. */
  readonly ancestors: readonly HookAncestor[];
  readonly before: BeforeImage | null;
  /** The name of the file beside it that holds what was there before the call, until it is taken in. */
  readonly held: string | null;
  /** The payload was longer than the inbox takes: this many bytes of it are here. */
  readonly cutAt: number | null;
  /** Fields this version does not know, in their order (D5). */
  readonly others: readonly (readonly [key: string, value: string])[];
  readonly body: Uint8Array;
}

export type ParsedInboxFile =
  | { readonly kind: "event"; readonly event: InboxEvent }
  /** No closing line: written half, or still being written. */
  | { readonly kind: "torn" }
  /** Whole, and not a form this version knows. */
  | { readonly kind: "unknown"; readonly why: string };

/** The record's id; null: no name of ours. */
export function idOfInboxName(name: string, ending = INBOX_ENDING): string | null {
  const id = name.endsWith(ending) ? name.slice(0, -ending.length) : "";
  return NAME.test(id) ? id : null;
}

export function parseInboxFile(bytes: Uint8Array): ParsedInboxFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const closing = Buffer.from(`\n${LAST}\n`);
  const end = file.length - closing.length;
  if (end < 0 || !file.subarray(end).equals(closing)) {
    return { kind: "torn" };
  }
  const head = headOf(file, end);
  if (head === null) {
    return { kind: "unknown", why: "no body line" };
  }
  const [first, ...lines] = head.lines;
  if (first !== FIRST) {
    return { kind: "unknown", why: "another form" };
  }
  const fields = lines.map(fieldOf);
  const agent = firstOf(fields, "agent");
  const event = firstOf(fields, "event");
  if (agent === null || event === null || agent === "" || event === "") {
    return { kind: "unknown", why: "no agent or no event" };
  }
  return {
    kind: "event",
    event: { agent, event, ...factsOf(fields), body: file.subarray(head.bodyAt, end) },
  };
}

/** Whose event a file is, by its beginning alone; null: it does not say. */
export function agentOfHead(bytes: Uint8Array): string | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [first, ...lines] = headOf(file, file.length)?.lines ?? [];
  return first === FIRST ? firstOf(lines.map(fieldOf), "agent") : null;
}

/** The lines above the body, and where it begins; null: there is none before the closing line. */
function headOf(file: Buffer, end: number): { readonly lines: string[]; readonly bodyAt: number } | null {
  const lines: string[] = [];
  for (let at = 0; lines.length <= MAX_FIELDS; ) {
    const next = file.indexOf(10, at);
    if (next === -1 || next > end) {
      return null;
    }
    const line = file.toString("utf8", at, next);
    at = next + 1;
    if (line === BODY) {
      // A body of no bytes: its line feed is the closing line's.
      return { lines, bodyAt: Math.min(at, end) };
    }
    lines.push(line);
  }
  return null;
}

type Field = readonly [key: string, value: string];

function fieldOf(line: string): Field {
  const space = line.indexOf(" ");
  return space === -1 ? [line, ""] : [line.slice(0, space), unescapedValue(line.slice(space + 1))];
}

const KNOWN: ReadonlySet<string> = new Set([
  "agent",
  "event",
  "at",
  "uptime",
  "cwd",
  "session",
  "boot",
  "pid-namespace",
  "ancestor",
  "capture",
  "no-before-image",
  "held",
  "cut",
]);

function factsOf(fields: readonly Field[]): Omit<InboxEvent, "agent" | "event" | "body"> {
  return {
    atMs: timeOf(fields),
    uptime: numberOf(fields, "uptime"),
    cwd: firstOf(fields, "cwd"),
    mark: firstOf(fields, "session"),
    boot: firstOf(fields, "boot"),
    pidNamespace: firstOf(fields, "pid-namespace"),
    ancestors: fields
      .flatMap(([key, value]) => (key === "ancestor" ? ancestorOf(value) : []))
      .slice(0, MAX_ANCESTORS),
    before: beforeOf(fields),
    held: heldOf(fields),
    cutAt: numberOf(fields, "cut"),
    others: fields.filter(([key]) => !KNOWN.has(key)),
  };
}

function beforeOf(fields: readonly Field[]): BeforeImage | null {
  const capture = firstOf(fields, "capture");
  const reason = firstOf(fields, "no-before-image");
  if (capture !== null) {
    return { kind: "held", capture };
  }
  return reason === null ? null : { kind: "none", reason };
}

/** Anything but a name of our own would lead elsewhere. */
function heldOf(fields: readonly Field[]): string | null {
  const name = firstOf(fields, "held");
  return name !== null && NAME.test(name) ? name : null;
}

function ancestorOf(value: string): readonly HookAncestor[] {
  const match = /^(\d{1,10}) (\d{1,19}) (.*)$/su.exec(value);
  return match === null ? [] : [{ pid: Number(match[1]), start: Number(match[2]), comm: match[3] ?? "" }];
}

const firstOf = (fields: readonly Field[], key: string): string | null =>
  fields.find(([name]) => name === key)?.[1] ?? null;

function numberOf(fields: readonly Field[], key: string): number | null {
  const value = firstOf(fields, key);
  const number = value !== null && /^\d{1,16}$/u.test(value) ? Number(value) : null;
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** A time that no record can have is none: the file's own is as good. */
function timeOf(fields: readonly Field[]): number | null {
  const atMs = numberOf(fields, "at");
  return atMs !== null && atMs <= MAX_TIME_MS ? atMs : null;
}

const escapedValue = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const unescapedValue = (value: string): string =>
  value.replaceAll(/\\(.)/gu, (_, c: string) => (c === "n" ? "\n" : c));

/** The file of an event, as the recorder would have written it: for what writes from JavaScript, and for tests. */
export function printInboxFile(event: InboxEvent): Uint8Array {
  const { before } = event;
  const fields: readonly (readonly [string, string | number | null])[] = [
    ["agent", event.agent],
    ["event", event.event],
    ["at", event.atMs],
    ["uptime", event.uptime],
    ["cwd", event.cwd],
    ["session", event.mark],
    ["boot", event.boot],
    ["pid-namespace", event.pidNamespace],
    ...event.ancestors.map(({ pid, start, comm }) => ["ancestor", `${pid} ${start} ${comm}`] as const),
    ["capture", before?.kind === "held" ? before.capture : null],
    ["no-before-image", before?.kind === "none" ? before.reason : null],
    ["held", event.held],
    ["cut", event.cutAt],
    ...event.others,
  ];
  const lines = fields.flatMap(([key, value]) =>
    value === null ? [] : [`${key} ${escapedValue(`${value}`)}`],
  );
  return Buffer.concat([
    Buffer.from(`${[FIRST, ...lines, BODY].join("\n")}\n`),
    event.body,
    Buffer.from(`\n${LAST}\n`),
  ]);
}
