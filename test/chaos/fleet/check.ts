/**
 * What must hold of a fleet after everything has healed, from outside: from what agents noted when they were acknowledged something, what the store's
 * journals say, and what lies in the trees. Pure: an empty answer means that it holds (test/chaos/fleet-broken.test.ts shows that it would be seen).
 */
import { createHash } from "node:crypto";
import { bodyAs, type StoredRecord } from "../../../src/model/record.ts";
import type { AgentRun, FinishedEdit, Note } from "./agent.ts";

export interface FleetStory {
  /** What was added, in that order, and acknowledged. */
  readonly items: readonly { readonly id: string; readonly queue: string; readonly name: string }[];
  readonly notes: readonly Note[];
  /** Of the items' sessions, of the queues, and of every other session that an agent was told of. */
  readonly journals: ReadonlyMap<string, readonly StoredRecord[]>;
  /** What became of each item, by its id. */
  readonly states: ReadonlyMap<string, string>;
  /** The tree each item's session ended in, by its id; left out: on a disk that is lost. */
  readonly trees: ReadonlyMap<string, EndedTree>;
  readonly steps: number;
}

export interface EndedTree {
  /** By name. */
  readonly files: ReadonlyMap<string, string>;
  readonly commits: ReadonlySet<string>;
}

/** The line that is in the tracked file from the beginning. */
export const FIRST_LINE = "base";

export function faultsOf(story: FleetStory): string[] {
  return [
    ...empty(story),
    ...stuck(story),
    ...story.notes.flatMap((note) => (note.kind === "captured" ? lostEdit(story, note) : [])),
    ...story.items.flatMap(({ id, name }) => [...fences(story, id), ...wrongTree(story, id, name)]),
    ...twice(story.notes.filter((note): note is AgentRun => note.kind === "begin")),
    ...overtaken(story),
  ];
}

/** Of what nothing happened in every law is kept: then nothing was shown. */
function empty({ items, notes, trees, states }: FleetStory): string[] {
  const ended = new Set(notes.flatMap(({ kind, session }) => (kind === "end" ? [session] : [])));
  return [
    ...(items.length === 0 ? ["shows nothing: no item was added"] : []),
    ...(notes.some(({ kind }) => kind === "captured") ? [] : ["shows nothing: no capture was acknowledged"]),
    ...(trees.size === 0 ? ["shows nothing: no tree is left to look at"] : []),
    // L7: done is what an agent brought to its end, and noted.
    ...items.flatMap(({ id, name }) =>
      states.get(id) === "done" && !ended.has(id) ? [`done by nobody: ${name} (${id})`] : [],
    ),
  ];
}

const journalOf = ({ journals }: FleetStory, session: string): readonly StoredRecord[] =>
  journals.get(session) ?? [];

const sayOf = ({ machine, item, attempt }: Note): string => `${item}, attempt ${attempt} on ${machine}`;

/** None is stuck: each item that was acknowledged is done. */
const stuck = ({ items, states }: FleetStory): string[] =>
  items.flatMap(({ id, name }) => {
    const state = states.get(id) ?? "nowhere";
    return state === "done" ? [] : [`stuck: ${name} (${id}) is ${state}`];
  });

/** D1, W8: its record is there, and so are its bytes: in the tree that its session ended in, or held. */
function lostEdit(story: FleetStory, edit: FinishedEdit): string[] {
  const { capture, capturedIn, session, text, step, head } = edit;
  const what = `${sayOf(edit)}, step ${step}`;
  const journal = journalOf(story, capturedIn);
  const record = journal.find((one) => one.kind === "capture.taken" && one.body.capture === capture);
  const body = record && bodyAs(record, "capture.taken");
  if (!record || !body) return [`record lost: ${what}: capture ${capture} of ${capturedIn}`];
  const path = `step-${step}.txt`;
  const tree = story.trees.get(session);
  const hash = createHash("sha256").update(`${text}\n`).digest("hex");
  const isInTree = tree?.files.get(path) === `${text}\n`;
  const isHeld =
    body.entries.some((entry) => entry.path === path && entry.state?.hash === hash) ||
    (isCommitted(step) && (tree?.commits.has(head) === true || journal.some((one) => isKept(one, head))));
  if (!isInTree && !isHeld) return [`edit lost: ${what}: ${text}`];
  if (capturedIn !== session) return [];
  const next = nextClaim(journal, edit.attempt);
  // Told before the session was taken over: whoever went on had it, and it is in the result and nowhere else.
  if (record.seq < (next?.seq ?? Number.POSITIVE_INFINITY))
    return tree === undefined || isInTree ? [] : [`edit left behind: ${what}: ${text}`];
  return [`past the fence: ${what} captured into its session after attempt ${next?.body.attempt} took it`];
}

/** The agent commits every odd step (agent.ts). */
const isCommitted = (step: number): boolean => step % 2 === 1;

/** Its commits can be had from the store. */
function isKept(record: StoredRecord, head: string): boolean {
  const kept = bodyAs(record, "capture.taken")?.commits;
  return kept?.head === head && kept.left_out === null;
}

const nextClaim = (journal: readonly StoredRecord[], attempt: number): StoredRecord | undefined =>
  journal.find((one) => one.kind === "claim.taken" && Number(one.body.attempt) > attempt);

/** K1: what was written under an attempt stands before the claim that ended it, and attempts are counted one by one. */
function fences(story: FleetStory, session: string): string[] {
  let attempt = 0;
  return journalOf(story, session).flatMap((record) => {
    const before = attempt;
    if (record.kind === "claim.taken") {
      attempt = Number(record.body.attempt);
      return attempt === before + 1 ? [] : [`claims: ${session}: attempt ${attempt} came after ${before}`];
    }
    // How it began is written with its first claim, before it.
    const isLate = record.attempt !== null && record.attempt !== Math.max(1, before);
    return isLate
      ? [`past the fence: ${session}: ${record.kind} of attempt ${record.attempt} in attempt ${before}`]
      : [];
  });
}

/** One agent for each attempt, wherever. */
function twice(begun: readonly AgentRun[]): string[] {
  const seen = new Map<string, Note>();
  return begun.flatMap((note) => {
    const key = `${note.session} ${note.attempt}`;
    const other = seen.get(key);
    seen.set(key, note);
    return other ? [`run twice: ${sayOf(note)}, and on ${other.machine}`] : [];
  });
}

/** The result has each step once, and nothing of another session. */
function wrongTree({ trees, steps }: FleetStory, session: string, name: string): string[] {
  const tree = trees.get(session);
  if (!tree) return [];
  const wanted = [FIRST_LINE, ...Array.from({ length: steps }, (_, i) => `${name} ${i + 1}`)].join("\n");
  const lines = tree.files.get("lines.txt")?.trimEnd();
  const missing = Array.from({ length: steps }, (_, i) => `step-${i + 1}.txt`).filter(
    (path) => !tree.files.get(path)?.startsWith(`${name} `),
  );
  return [
    ...(lines === wanted ? [] : [`wrong tree: ${name}: lines.txt is ${JSON.stringify(lines)}`]),
    ...missing.map((path) => `wrong tree: ${name}: ${path} is ${JSON.stringify(tree.files.get(path))}`),
  ];
}

/** The queue's order, by its own journal: nobody is taken while one that came before him waits. */
function overtaken(story: FleetStory): string[] {
  const queues = new Set(story.items.map(({ queue }) => queue));
  return [...queues].flatMap((queue) => {
    const waiting: unknown[] = [];
    return journalOf(story, queue).flatMap(({ kind, body }) => {
      if (kind === "item.queued") waiting.push(body.item);
      if (kind !== "item.taken") return [];
      const place = waiting.indexOf(body.item);
      waiting.splice(place, 1);
      return place === 0 ? [] : [`overtaken: ${body.item} was taken from place ${place} of ${queue}`];
    });
  });
}
