/**
 * What the recorder held before a command, as a file of the inbox beside the event that names it: `NAME.held`. Written by hooks/refloat-hold,
 * without the program, because starting that takes longer than a call may wait:
 *
 *   refloat-held 1
 *   agent 6
 *   claude
 *   body 27
 *   { ... the payload ... }
 *   root 8
 *   /srv/app
 *   ...
 *   end refloat-held 2864434397
 *
 * A field is its key, the number of its bytes, the bytes. `root` begins a tree, `path` an entry of it. The last line has the sum of all
 * words of four bytes before it: without it, or with another, the file is torn. Pure.
 */
import { createHash } from "node:crypto";
import type { HeldEntry, HeldStat, OutsideTree } from "../../workspace/captures/outside-tree.ts";
import type { GitFile } from "../../workspace/git/git-files.ts";
import type { Tip } from "../../workspace/git/going-commits.ts";
import type { ReachedLimit } from "../../workspace/tree/reading.ts";

const FIRST = "refloat-held 1\n";
const LAST = /^end refloat-held (\d{10})\n$/u;
const LAST_BYTES = "end refloat-held 0000000000\n".length;
export const HELD_ENDING = ".held";

export interface HeldFile {
  readonly agent: string;
  /** `REFLOAT_SESSION` as the hook found it. */
  readonly mark: string | null;
  readonly cwd: string;
  /** The payload of the event. */
  readonly body: string;
  readonly trees: readonly OutsideTree[];
  /** What the call names and no tree of these has, although it is there. */
  readonly unheld: readonly string[];
  /** It names more than was looked at. */
  readonly hasMore: boolean;
}

export type ParsedHeldFile =
  | { readonly kind: "held"; readonly held: HeldFile }
  | { readonly kind: "torn" }
  | { readonly kind: "unknown"; readonly why: string };

/** 32 signs, as ids have them: by the low bits of a hash, the same for the same file (D4). */
const SIGNS = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARS = 20;

/** The capture's id of one tree of it. */
export function heldCaptureId(name: string, tree: number): string {
  const digest = createHash("sha256").update(`${name} ${tree}`).digest();
  return [...digest.subarray(0, ID_CHARS)].map((byte) => SIGNS.charAt(byte & 31)).join("");
}

export function parseHeldFile(file: Buffer): ParsedHeldFile {
  const end = file.length - LAST_BYTES;
  const sum = end < 0 ? null : (LAST.exec(file.toString("latin1", end))?.[1] ?? null);
  if (sum === null || Number(sum) !== sumOf(file, end)) return { kind: "torn" };
  if (!file.subarray(0, FIRST.length).equals(Buffer.from(FIRST)))
    return { kind: "unknown", why: "another form" };
  const fields = fieldsOf(file, end);
  if (fields === null) return { kind: "unknown", why: "a field is cut off" };
  const first = fields.findIndex(({ key }) => key === "root");
  const head = fields.slice(0, first === -1 ? fields.length : first);
  const [agent, body] = [textOf(head, "agent"), textOf(head, "body")];
  if (agent === null || body === null || first === -1) return { kind: "unknown", why: "it holds no tree" };
  const beyond = limitsOf(head);
  const trees = groupsOf(fields.slice(first), "root").map((group) => treeOf(group, beyond));
  const whole = trees.flatMap((tree) => (tree === null ? [] : [tree]));
  if (whole.length < trees.length) return { kind: "unknown", why: "a tree of it is not told whole" };
  const held = {
    ...{ agent, body, mark: textOf(head, "mark"), cwd: textOf(head, "cwd") ?? "/", trees: whole },
    ...{ unheld: valuesOf(head, "unheld"), hasMore: textOf(head, "more-words") !== null },
  };
  return { kind: "held", held };
}

/** As perl's `unpack "%32V*"` has it. */
function sumOf(file: Buffer, end: number): number {
  let sum = 0;
  const whole = end - (end % 4);
  for (let at = 0; at < whole; at += 4) sum = (sum + file.readUInt32LE(at)) % 0x1_0000_0000;
  const rest = Buffer.alloc(4);
  file.copy(rest, 0, whole, end);
  return whole === end ? sum : (sum + rest.readUInt32LE(0)) % 0x1_0000_0000;
}

interface HeldField {
  readonly key: string;
  readonly value: Buffer;
}

function fieldsOf(file: Buffer, end: number): readonly HeldField[] | null {
  const fields: HeldField[] = [];
  for (let at = FIRST.length; at < end; ) {
    const line = file.indexOf(10, at);
    const match = line === -1 ? null : /^([a-z-]{1,20}) (\d{1,10})$/u.exec(file.toString("latin1", at, line));
    if (!match) return null;
    const from = line + 1;
    const to = from + Number(match[2]);
    if (to >= end || file[to] !== 10) return null;
    fields.push({ key: match[1] ?? "", value: file.subarray(from, to) });
    at = to + 1;
  }
  return fields;
}

/** Each from one of these keys to the next. */
function groupsOf(fields: readonly HeldField[], key: string): readonly (readonly HeldField[])[] {
  const groups: HeldField[][] = [];
  for (const field of fields) {
    if (field.key === key) groups.push([]);
    groups.at(-1)?.push(field);
  }
  return groups;
}

const valuesOf = (fields: readonly HeldField[], key: string): readonly string[] =>
  fields.flatMap((field) => (field.key === key ? [field.value.toString("utf8")] : []));
const textOf = (fields: readonly HeldField[], key: string): string | null => valuesOf(fields, key)[0] ?? null;
const bytesOf = (fields: readonly HeldField[], key: string): Buffer | null =>
  fields.find((field) => field.key === key)?.value ?? null;

function treeOf(fields: readonly HeldField[], beyond: readonly ReachedLimit[]): OutsideTree | null {
  const [root, commonDir, kind] = ["root", "common", "kind"].map((key) => textOf(fields, key));
  const [status, tracked] = [bytesOf(fields, "status"), bytesOf(fields, "tracked")];
  if (!root?.startsWith("/") || !commonDir || !status || !tracked) return null;
  // A name that is no text is none that anybody can go to.
  if (root.includes("\u{fffd}") || commonDir.includes("\u{fffd}")) return null;
  return {
    ...{ root, commonDir, kind: kind === "linked" ? "linked" : "main", status, tracked },
    stats: new Map(valuesOf(fields, "stat").flatMap(statOf)),
    trailer: textOf(fields, "trailer"),
    signs: valuesOf(fields, "sign"),
    complaints: textOf(fields, "complaints") ?? "",
    entries: groupsOf(fields, "path").flatMap(entryOf),
    leftOut: valuesOf(fields, "limit"),
    limits: [...beyond, ...limitsOf(fields)],
    tips: valuesOf(fields, "tip").flatMap(tipOf),
    bases: valuesOf(fields, "base"),
    pack: bytesOf(fields, "pack"),
    own: groupsOf(fields, "own-name").flatMap(ownOf),
    ownLeft: valuesOf(fields, "own-left"),
  };
}

function entryOf(fields: readonly HeldField[]): readonly HeldEntry[] {
  const [path, state] = [bytesOf(fields, "path"), textOf(fields, "state")];
  if (path === null || state === null) return [];
  const isIgnored = textOf(fields, "flag") === "ignored";
  return [{ path, state, isIgnored, content: bytesOf(fields, "content") }];
}

function ownOf(fields: readonly HeldField[]): readonly GitFile[] {
  const [name, mode, bytes] = [
    textOf(fields, "own-name"),
    textOf(fields, "own-mode"),
    bytesOf(fields, "own"),
  ];
  return name === null || bytes === null ? [] : [{ name, mode: Number(mode) & 0o777, bytes }];
}

function statOf(text: string): readonly (readonly [string, HeldStat])[] {
  const match = /^(\S+) (\d+) (\d+) (\d+) (\d+)\.(\d{9}) (?:(\d+)\.(\d{9})|.*)$/u.exec(text);
  if (!match) return [];
  const [, name = "", dev = "", ino = "", size = "", seconds = "0", rest = "0", born, part = "0"] = match;
  const birthMs = born === undefined ? 0 : Number(born) * 1000 + Math.floor(Number(part) / 1e6);
  const mtimeNs = BigInt(seconds) * 1_000_000_000n + BigInt(rest);
  return [[name, { dev, ino, size: Number(size), mtimeNs, birthMs }]];
}

function tipOf(text: string): readonly Tip[] {
  const [, id, ref] = /^([0-9a-f]{40,64}) (\S+)$/u.exec(text) ?? [];
  return id === undefined || ref === undefined ? [] : [{ id, ref }];
}

function limitsOf(fields: readonly HeldField[]): readonly ReachedLimit[] {
  return valuesOf(fields, "beyond").flatMap((text) => {
    const [, limit, value, leftOut] = /^([a-z]+) (\d+) (\d+)$/u.exec(text) ?? [];
    return limit === undefined ? [] : [{ limit, value: Number(value), leftOut: Number(leftOut) }];
  });
}
