/**
 * Changes that must be kept or dropped together (DESIGN 8): by operation, by call, moves, manifest and lockfile,
 * imports between changed files, a new method of Python and who came to call it, a module of Go or a crate of Rust with the manifest that came to name it, a source and its test, a model and its migrations, a workflow's state with its companion and its ring. Never across owners: an act touches only what one of them
 * owns (W5), and a group is kept or dropped whole (S4). What the session left and somebody edited after its end belongs to the
 * session's group all the same: the rest of it without that file is half a change, so all of it stays (DESIGN 15).
 */
import type { OperationFact } from "../facts/known/triage-facts.ts";
import type { GroupMember } from "../facts/member.ts";
import type { PathClasses } from "../facts/paths/path-classes.ts";
import { importLinks, type Link, manifestLinks, methodLinks, moveLinks, testLinks } from "./group-links.ts";
import { migrationLinks } from "./migrations.ts";
import { belongsTo } from "./operations.ts";
import type { HeadSources } from "./references/tree.ts";
import { declaringLinks } from "./references/undeclared-modules.ts";
import { isAppend, isUpdate } from "./self-contained.ts";
import { recordLinks, workflowOf } from "./workflow-records.ts";

export interface GroupDraft {
  readonly members: readonly GroupMember[];
  readonly operations: readonly OperationFact[];
}

export async function groupMembers(
  members: readonly GroupMember[],
  operations: readonly OperationFact[],
  classes: PathClasses,
  head: HeadSources,
): Promise<GroupDraft[]> {
  const sets = createSets(members);
  const inOperation = operations.map((operation) => ({
    operation,
    members: members.filter((member) => belongsTo(member, operation, classes)),
  }));
  for (const owned of byOwner(members)) {
    const isOwned = new Set(owned);
    const link = (links: readonly Link[]): void => {
      for (const [a, b] of links) sets.join(a, b);
    };
    for (const { members: together } of inOperation)
      chain(
        together.filter((one) => isOwned.has(one)),
        sets,
      );
    for (const together of byCall(owned, classes)) chain(together, sets);
    link(moveLinks(owned));
    link(manifestLinks(owned));
    link(testLinks(owned));
    link(methodLinks(owned));
    link(recordLinks(owned));
    link(migrationLinks(owned, head));
    link(await importLinks(owned, head));
    link(await declaringLinks(owned, head));
  }
  return sets.groups().map((group) => {
    const isIn = new Set(group);
    const touching = inOperation.filter((one) => one.members.some((member) => isIn.has(member)));
    return { members: group, operations: touching.map(({ operation }) => operation) };
  });
}

export function byOwner(members: readonly GroupMember[]): GroupMember[][] {
  const found = new Map<string, GroupMember[]>();
  for (const member of members) {
    const { owner, ownerSession } = member.fact.owner;
    const key = member.fact.isEditedSince ? "session null" : `${owner} ${ownerSession}`;
    const known = found.get(key);
    if (known) known.push(member);
    else found.set(key, [member]);
  }
  return [...found.values()];
}

/** One call's changes. An append to a journal and an update of a queue stand alone, whoever wrote them. */
function byCall(members: readonly GroupMember[], classes: PathClasses): GroupMember[][] {
  const found = new Map<string, GroupMember[]>();
  for (const member of members) {
    if (isAppend(member, classes) || isUpdate(member, classes) || workflowOf(member) !== null) continue;
    for (const call of new Set(member.fact.writes.map((write) => write.call)))
      if (call !== null) found.set(call, [...(found.get(call) ?? []), member]);
  }
  return [...found.values()];
}

interface Sets {
  join(a: GroupMember, b: GroupMember): void;
  groups(): GroupMember[][];
}

function chain(together: readonly GroupMember[], sets: Sets): void {
  for (const [at, member] of together.entries()) {
    const next = together[at + 1];
    if (next) sets.join(member, next);
  }
}

/** Union-find, in the order of the changes (J3). */
function createSets(members: readonly GroupMember[]): Sets {
  const index = new Map(members.map((member, at) => [member, at]));
  const parent = members.map((_, at) => at);
  const rootOf = (start: number): number => {
    let at = start;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at] as number] as number;
      at = parent[at] as number;
    }
    return at;
  };
  return {
    join(a, b) {
      const [left, right] = [rootOf(index.get(a) ?? 0), rootOf(index.get(b) ?? 0)];
      if (left !== right) parent[Math.max(left, right)] = Math.min(left, right);
    },
    groups() {
      const found = new Map<number, GroupMember[]>();
      for (const [at, member] of members.entries()) {
        const root = rootOf(at);
        const known = found.get(root);
        if (known) known.push(member);
        else found.set(root, [member]);
      }
      return [...found.values()];
    },
  };
}
