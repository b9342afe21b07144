/**
 * The judge: changes in, groups with verdicts out. Pure but for loading parsers (parsers.ts).
 *
 *  J1  Safe needs evidence from the workspace; any risky evidence wins; no evidence is unknown (S3).
 *  J2  A group is as good as its worst member: safe needs evidence for every one of them (S4).
 *  J3  The same facts give the same groups, ids and reasons, in the same order.
 *  J4  What could not be looked at (a gap, a limit, a language without a parser) is never evidence for safe (W4).
 *  J5  What may still be written is unknown, whatever it looks like now (S2).
 */
import { analysisHere } from "../facts/analysis-here.ts";
import { createMemoryCache } from "../facts/known/kept.ts";
import type { TriageFacts } from "../facts/known/triage-facts.ts";
import { type GroupMember, loadMembers } from "../facts/member.ts";
import { createParsers, type Parsers } from "../facts/parse/parsers.ts";
import { pathClasses } from "../facts/paths/path-classes.ts";
import { copiesIn } from "../links/copies.ts";
import { byOwner, type GroupDraft, groupMembers } from "../links/grouping.ts";
import { lockFindings, loweredIn } from "../links/locks.ts";
import { type UnmigratedModel, unmigratedIn } from "../links/migrations.ts";
import { modellessIn } from "../links/modelless.ts";
import { oldNamesIn } from "../links/old-names.ts";
import { allOperations } from "../links/operations.ts";
import { checkReferences } from "../links/references/check-references.ts";
import { lostMethodsIn } from "../links/references/lost-methods.ts";
import { type SoughtFile, soughtFiles, straysIn, takenIn } from "../links/references/strays.ts";
import { groupTree, type HeadSources, loadHeadFiles } from "../links/references/tree.ts";
import { undeclaredIn } from "../links/references/undeclared.ts";
import { unseenCallsIn } from "../links/references/unseen-calls.ts";
import { wrongCallsIn } from "../links/references/wrong-calls.ts";
import { workflowOf } from "../links/workflow-records.ts";
import { allChanges } from "../rules/evidence/all-changes.ts";
import type { GroupView } from "../rules/evidence/group-view.ts";
import { describedBy } from "./described.ts";
import type { Group } from "./group.ts";
import { groupId } from "./group-id.ts";
import { withProposals } from "./proposals.ts";
import { judgeGroup } from "./verdict.ts";

export async function judgeChanges(facts: TriageFacts, parsers: Parsers = createParsers()): Promise<Group[]> {
  if (facts.changes.length === 0) return [];
  const cache = facts.cache ?? createMemoryCache();
  const analysis = facts.analysis ?? analysisHere(parsers);
  // What HEAD has is listed by git meanwhile (P10).
  const [members, head] = await Promise.all([
    loadMembers(facts, analysis, cache),
    loadHeadFiles(facts.head, analysis, cache),
  ]);
  const classes = pathClasses(facts.pathRules);
  const operations = allOperations(facts, members, classes);
  const drafts = await groupMembers(members, operations, classes, head);
  const views: GroupView[] = [];
  const sought = await soughtFiles(members, head);
  const everyone = new Map<string, GroupMember>(members.map((member) => [member.path, member]));
  const unmigrated = new Map<GroupMember, readonly UnmigratedModel[]>();
  for (const owned of byOwner(members)) {
    const found = await unmigratedIn(owned, head, facts.head);
    for (const member of owned) unmigrated.set(member, found);
  }
  const shared: SharedFacts = {
    facts,
    classes,
    all: allChanges(facts),
    calls: new Map(facts.calls.map((call) => [call.id, call])),
  };
  for (const draft of drafts) views.push(await viewOf(draft, shared, { everyone, sought, unmigrated }, head));
  return withProposals(judgedInTurn(views), facts.head, head);
}

/** A record of the work is judged after the work it tells of; the order of the groups stays (J3). */
function judgedInTurn(views: readonly GroupView[]): Group[] {
  const isRecord = ({ members }: GroupView): boolean => members.some((one) => workflowOf(one) !== null);
  const works = new Map(views.filter((view) => !isRecord(view)).map((view) => [view, judgeGroup(view)]));
  const judged = [...works.values()];
  return views.map(
    (view) => works.get(view) ?? judgeGroup({ ...view, described: describedBy(view.members, judged) }),
  );
}

type SharedFacts = Pick<GroupView, "facts" | "classes" | "all" | "calls">;

/** What is looked up once for all groups. */
interface OfAll {
  readonly everyone: ReadonlyMap<string, GroupMember>;
  readonly sought: readonly SoughtFile[];
  /** By any of an owner's changes. */
  readonly unmigrated: ReadonlyMap<GroupMember, readonly UnmigratedModel[]>;
}

async function viewOf(
  { members, operations }: GroupDraft,
  shared: SharedFacts,
  { everyone, sought, unmigrated }: OfAll,
  head: HeadSources,
): Promise<GroupView> {
  const isIn = new Set(members);
  const ofOwner = members[0] ? (unmigrated.get(members[0]) ?? []) : [];
  const tree = groupTree(head, members);
  const references = await checkReferences(members, head);
  const lostMethods = await lostMethodsIn(members, shared.facts, head, tree);
  const wrongCalls = await wrongCallsIn(members, head);
  return {
    ...shared,
    id: groupId(members.map(({ fact }) => fact)),
    members,
    operations,
    references: {
      broken: [...references.broken, ...lostMethods],
      unfollowed: [...references.unfollowed, ...wrongCalls.unfollowed],
    },
    wrongCalls: wrongCalls.found,
    locks: await lockFindings(members, head, tree),
    lowered: await loweredIn(members, shared.facts.bytesOf),
    atHead: (path) => (head.paths.has(path) ? "file" : head.folders.has(path) ? "folder" : null),
    taken: await takenIn(members, tree),
    strays: straysIn(members, sought),
    oldNames: await oldNamesIn(members, head, shared.classes),
    copies: await copiesIn(members, everyone, head, tree),
    unseenCalls: await unseenCallsIn(members, shared.facts, head, tree),
    undeclared: await undeclaredIn(members, head, tree),
    unmigrated: ofOwner.filter(({ member }) => isIn.has(member)),
    besideUnmigrated: ofOwner.find(({ member, isTold }) => isTold && !isIn.has(member)) ?? null,
    modelless: await modellessIn(members, shared.facts, head),
    described: [],
  };
}
