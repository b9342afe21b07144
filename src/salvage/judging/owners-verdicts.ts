/**
 * S7: a path has one verdict, whoever looks. What belongs to another session is judged by that session's own story, the only one
 * that knows whether it was ended; what this session's says of it is nothing. Pure.
 */
import type { Verdict } from "../../model/manifest.ts";
import { stateKey } from "../../model/path-state.ts";
import type { ChangeFact } from "../../triage/facts/known/triage-facts.ts";
import { BESIDE } from "../../triage/rules/table.ts";
import { noEvidenceRule } from "../../triage/rules/words.ts";
import type { Group, Reason } from "../../triage/verdict/group.ts";
import { groupId } from "../../triage/verdict/group-id.ts";
import { worstFirst } from "./judged-groups.ts";

/** The groups of another session as it sees them, or why it was not asked. */
export type OwnersView =
  | { readonly kind: "judged"; readonly groups: readonly Group[] }
  | { readonly kind: "not-judged"; readonly why: string };

/** The session a change belongs to, where that is not the one that looks. */
const otherOf = ({ owner: { owner, ownerSession } }: ChangeFact): string | null =>
  owner === "other" ? ownerSession : null;

const isForeign = (group: Group): boolean => group.changes.some((fact) => otherOf(fact) !== null);

/** Whose verdicts are wanted. `isMixedOnly`: only of groups that hold something of the session that looks, too. */
export function ownersIn(
  groups: readonly Group[],
  { isMixedOnly }: { readonly isMixedOnly: boolean },
): string[] {
  const wanted = groups.filter(
    (group) => !isMixedOnly || group.changes.some(({ owner }) => owner.owner === "session"),
  );
  const owners = wanted.flatMap(({ changes }) => changes.flatMap((fact) => otherOf(fact) ?? []));
  return [...new Set(owners)];
}

interface OwnersPart {
  /** As this session sees it. */
  readonly groups: readonly Group[];
  /** As the owners see what is theirs in it. */
  readonly owners: readonly Group[];
  readonly untold: readonly Reason[];
}

/** `views`: by session; groups whose owners are not among them stay as they are. */
export function withOwnersVerdicts(
  groups: readonly Group[],
  views: ReadonlyMap<string, OwnersView>,
): Group[] {
  const isMeant = (group: Group): boolean =>
    isForeign(group) && group.changes.some((fact) => views.has(otherOf(fact) ?? ""));
  const parts = joined(groups.filter(isMeant).map((group) => partOf(group, views)));
  return [...groups.filter((group) => !isMeant(group)), ...parts.map(groupOf)].toSorted(worstFirst);
}

function partOf(group: Group, views: ReadonlyMap<string, OwnersView>): OwnersPart {
  const owners = new Set<Group>();
  const untold: Reason[] = [];
  for (const fact of group.changes) {
    const session = otherOf(fact);
    const view = session === null ? undefined : views.get(session);
    if (session === null || view === undefined) continue;
    const theirs =
      view.kind === "judged" ? view.groups.find(({ changes }) => changes.some(isAt(fact))) : undefined;
    if (theirs) owners.add(theirs);
    else untold.push(untoldReason(fact, session, view));
  }
  return { groups: [group], owners: [...owners], untold };
}

const isAt =
  ({ change: { path, to } }: ChangeFact) =>
  ({ change, owner }: ChangeFact): boolean =>
    owner.owner === "session" && change.path === path && stateKey(change.to) === stateKey(to);

function untoldReason({ change: { path } }: ChangeFact, session: string, view: OwnersView): Reason {
  const why = view.kind === "judged" ? "it does not know it as its own" : view.why;
  const message = `It is the session ${session}'s, which judges it: ${why}.`;
  return { rule: noEvidenceRule.slug, weight: "note", message, evidence: [path] };
}

/** What its owner keeps together stays together (S4). */
function joined(parts: readonly OwnersPart[]): OwnersPart[] {
  return parts.reduce<OwnersPart[]>((done, part) => {
    const isShared = ({ owners }: OwnersPart): boolean => owners.some((one) => part.owners.includes(one));
    const same = [...done.filter(isShared), part];
    const one: OwnersPart = {
      groups: same.flatMap(({ groups }) => groups),
      owners: [...new Set(same.flatMap(({ owners }) => owners))],
      untold: same.flatMap(({ untold }) => untold),
    };
    return [...done.filter((other) => !isShared(other)), one];
  }, []);
}

const RANK: Readonly<Record<Verdict, number>> = { risky: 0, unknown: 1, safe: 2 };

/** As good as the worst that is said by whoever knows something of it; what is still being written is unknown (J5). */
function groupOf({ groups, owners, untold }: OwnersPart): Group {
  const changes = groups.flatMap((group) => group.changes);
  const isAllForeign = changes.every((fact) => otherOf(fact) !== null);
  const said = [...(isAllForeign ? [] : groups), ...owners].toSorted(
    (a, b) => RANK[a.verdict] - RANK[b.verdict],
  );
  const reasons = distinct([...said.flatMap((group) => group.reasons), ...untold]);
  const isMoving = reasons.some(({ rule }) => rule === BESIDE.moving.slug);
  const worst = said[0]?.verdict ?? "unknown";
  const verdict = isMoving || (untold.length > 0 && worst === "safe") ? "unknown" : worst;
  return { id: groupId(changes), changes, verdict, reasons };
}

function distinct(reasons: readonly Reason[]): Reason[] {
  const known = new Map(reasons.map((reason) => [JSON.stringify([reason.rule, reason.message]), reason]));
  return [...known.values()];
}
