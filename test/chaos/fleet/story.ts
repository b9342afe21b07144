/** Reads what is to be checked of a fleet: the store's journals, and the trees that sessions ended in. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RefloatStore } from "../../../src/app/store/card.ts";
import type { AddedItem } from "../../../src/fleet/queue.ts";
import { queuesOf, type RepositoryId } from "../../../src/fleet/queue-place.ts";
import { readItems } from "../../../src/fleet/read-queue.ts";
import type { SessionId } from "../../../src/model/ids.ts";
import type { StoredRecord } from "../../../src/model/record.ts";
import { workspaceIn } from "../../../src/store/contract/session-facts.ts";
import type { Note } from "./agent.ts";
import type { EndedTree, FleetStory } from "./check.ts";
import type { Machine } from "./machine.ts";

export interface NamedItem extends AddedItem {
  readonly name: string;
}

const EVERYTHING = { waiting: 1000, deferred: 1000, taken: 1000, ended: 1000 };

/** What each item of these repositories is at just now, by its id. */
export async function statesOf(
  { raw }: RefloatStore,
  repositories: readonly RepositoryId[],
): Promise<Map<string, string>> {
  const items = await readItems(raw, await queuesOf(raw, repositories), EVERYTHING);
  return new Map(items.map(({ id, state }) => [id, state]));
}

export async function storyOf(
  store: RefloatStore,
  machines: readonly Machine[],
  all: { readonly items: readonly NamedItem[]; readonly notes: readonly Note[]; readonly steps: number },
  repositories: readonly RepositoryId[],
): Promise<FleetStory> {
  const { items, notes } = all;
  const sessions = new Set([
    ...items.flatMap(({ id, queue }) => [id as string, queue as string]),
    ...notes.flatMap((note) => (note.kind === "captured" ? [note.capturedIn] : [])),
  ]);
  const journals = new Map<string, StoredRecord[]>();
  for (const session of sessions) journals.set(session, await journalOf(store, session as SessionId));
  const trees = new Map<string, EndedTree>();
  for (const { id } of items) {
    const last = notes.filter(({ session }) => session === id).at(-1);
    const row = await store.raw.session(id);
    const ran = machines.find(({ name }) => name === lastRunner(notes, id));
    const path = row && workspaceIn(row);
    if (last && ran && path && existsSync(path)) trees.set(id, treeAt(ran, path));
  }
  return { ...all, journals, trees, states: await statesOf(store, repositories) };
}

/** The machine of its highest attempt. */
function lastRunner(notes: readonly Note[], session: string): string | undefined {
  const begun = notes.filter((note) => note.kind === "begin" && note.session === session);
  return begun.toSorted((a, b) => b.attempt - a.attempt)[0]?.machine;
}

async function journalOf({ raw }: RefloatStore, session: SessionId): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for (;;) {
    const page = await raw.records({ session, fromSeq: (all.at(-1)?.seq ?? -1) + 1 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

function treeAt(machine: Machine, path: string): EndedTree {
  const names = readdirSync(path, { withFileTypes: true }).filter(
    (one) => one.isFile() && one.name !== ".git",
  );
  return {
    files: new Map(names.map(({ name }) => [name, readFileSync(join(path, name), "utf8")])),
    commits: new Set(machine.git(path, "rev-list", "HEAD").split("\n")),
  };
}
