/**
 * Every reference from the group and to it, followed in HEAD + group. What led nowhere before is not newly broken: of a
 * file of the group it is noted, as not every reference of it resolves (closed-and-sound). What cannot be followed is said,
 * and is then no evidence for safe.
 */
import { type Reference, unlookedWhy } from "../../facts/known/file-facts.ts";
import { folderOfPath, nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";
import { CHECKED_ENDINGS, CHECKED_LANGUAGES, languageOf } from "../../facts/paths/languages.ts";
import { otherNamesOf } from "./alias-names.ts";
import { type BrokenReference, brokenEntries } from "./check-entries.ts";
import { follow, leadsTo } from "./follow.ts";
import type { FollowedReference } from "./followed.ts";
import { lostMembersOf } from "./lost-methods.ts";
import { type GroupTree, groupTree, type HeadSources, headTree } from "./tree.ts";

export interface ReferenceFindings {
  readonly broken: readonly BrokenReference[];
  /** Why some could not be followed. */
  readonly unfollowed: readonly string[];
}

/** Unchanged files that may refer to one that lost something; more, and it is not followed. */
const MAX_REFERRERS = 2000;

export async function checkReferences(
  members: readonly GroupMember[],
  head: HeadSources,
): Promise<ReferenceFindings> {
  const [tree, plain] = [groupTree(head, members), headTree(head)];
  const broken: BrokenReference[] = [];
  const unfollowed: string[] = [];
  const own = new Set<string>(members.flatMap(({ path, change }) => [path, change.fromPath ?? path]));
  const hasGone = [...own].some((path) => plain.has(path) && !tree.has(path));
  // Side by side: what they ask of HEAD in one turn is read by one command.
  const losses = members.flatMap((member) => lossOf(member) ?? []);
  // Of classes of Python whoever is looked into anyway is asked; lost-methods.ts looks for the others.
  const lost: LostNames = {
    paths: own,
    names: new Set([...losses.flatMap(({ names }) => names), ...members.flatMap(lostMembersOf)]),
  };
  const ofMembers = members.map((member) => fromMember(member, lost, tree, plain, { hasGone }));
  broken.push(...(await Promise.all(ofMembers)).flat());
  broken.push(...(await brokenEntries(members, tree, plain)));
  unfollowed.push(...(await unlookedTargets(members, tree)));
  const seen = new Set<string>();
  // Asked for together: a search goes through all of HEAD.
  const searches = await Promise.all(losses.map(({ path, names }) => referrersOf(path, head, names)));
  for (const [at, loss] of losses.entries()) {
    const referrers = searches[at] ?? null;
    if (referrers === null) unfollowed.push(`who refers to ${loss.path} could not be looked for`);
    for (const path of referrers ?? []) {
      if (own.has(path) || seen.has(path)) continue;
      seen.add(path);
      const why = await unlookedReferrer(path, head);
      if (why !== null) unfollowed.push(why);
      broken.push(...(await fromReferrer(path, head, lost, tree, plain)));
    }
  }
  return { broken, unfollowed };
}

async function fromMember(
  { path, change, before, after }: GroupMember,
  lost: LostNames,
  tree: GroupTree,
  plain: GroupTree,
  /** Whether the group took a file away: without that nothing can be led astray, and HEAD need not be read for it (P10). */
  { hasGone }: { readonly hasGone: boolean },
): Promise<BrokenReference[]> {
  if (!after?.source) return [];
  const earlierOnes = before?.source?.references ?? [];
  const old = bySpecifier(earlierOnes.filter(({ isOfType }) => !isOfType));
  const oldMembers = bySpecifier(earlierOnes.filter(({ isOfType }) => isOfType));
  const broken: BrokenReference[] = [];
  for (const wanted of after.source.references) {
    const earlier = (wanted.isOfType ? oldMembers : old).get(wanted.specifier);
    const reference = ofLost(wanted, lost, earlier);
    if (reference === null) continue;
    const found = await follow(path, after, reference, tree);
    if (!old.has(reference.specifier) && isUntyped(path, found))
      broken.push({ ...aboutOwn(path, reference), kind: "untyped", names: [] });
    if (found.kind === "outside" && !hasGone) continue;
    const isWhole = found.kind === "found" && found.missing.length + found.unseen.length === 0;
    if (isWhole && !hasGone) continue;
    // Only the names it asked for before: a name that is new here was never there to be missing.
    const was = reference.isOfValue
      ? await follow(path, after, reference, plain)
      : before && earlier
        ? await follow(change.fromPath ?? path, before, earlier, plain)
        : null;
    if (was?.kind === "found" && change.fromPath === undefined && leadsAstray(found, was, tree, plain)) {
      const kind = was.isGuess ? "unseen-name" : "missing-file";
      broken.push({ ...aboutOwn(path, reference), kind, names: [] });
      continue;
    }
    if (isWhole) continue;
    // What is tried may be missing on purpose, but not once it was there; what came to be tried is noted.
    if (reference.isOptional && was?.kind !== "found") {
      const isAbsent = found.kind === "missing-file" || found.kind === "uncertain";
      const isNoted = isAbsent && !was && !BUILT.test(reference.specifier);
      if (isNoted) broken.push({ ...aboutOwn(path, reference), kind: "unseen-name", names: [] });
      continue;
    }
    broken.push(...newlyBroken(path, reference, found, was, { isOwn: true }));
  }
  return broken;
}

/** What a build leaves is not in the tree. */
const BUILT = /(?:^|\/)(?:build|dist|out|prebuilds|target)\/|\.node$/;

/** Types that lead to a script: its own types, which a compiler would have written with them, are yet to come. */
const isUntyped = (from: string, found: FollowedReference): boolean =>
  /\.d\.[mc]?ts$/.test(from) &&
  found.kind === "found" &&
  found.paths.every((path) => /\.[mc]?jsx?$/.test(path));

const aboutOwn = (from: string, { line, specifier }: Reference) =>
  ({ from, line, specifier, isOwn: true }) as const;

function bySpecifier(references: readonly Reference[]): Map<string, Reference> {
  const found = new Map<string, Reference>();
  for (const one of references) {
    const known = found.get(one.specifier);
    found.set(one.specifier, known ? { ...known, names: [...known.names, ...one.names] } : one);
  }
  return found;
}

/** Paths of the group, and names that files of it no longer give. */
interface LostNames {
  readonly paths: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/**
 * Of values only what the group lost is asked for, of types also what was not asked for before: anything else is as it was, and would cost a
 * look at every file.
 */
function ofLost(reference: Reference, { names }: LostNames, earlier?: Reference): Reference | null {
  const { isOfValue, isOfType } = reference;
  if (!isOfValue && !isOfType) return reference;
  const isNew = (name: string): boolean => isOfType === true && !earlier?.names.includes(name);
  const some = reference.names.filter((name) => isLost(name, names) || isNew(name));
  return some.length > 0 ? { ...reference, names: some } : null;
}

/** Of a chain of calls (`Type#a>b`) the last may be a member that any of the types lost. */
function isLost(name: string, lost: ReadonlySet<string>): boolean {
  if (lost.has(name) || !name.includes(">")) return lost.has(name);
  const member = `#${name.slice(name.lastIndexOf(">") + 1)}`;
  return [...lost].some((one) => one.endsWith(member));
}

async function fromReferrer(
  path: string,
  head: HeadSources,
  lost: LostNames,
  tree: GroupTree,
  plain: GroupTree,
): Promise<BrokenReference[]> {
  const facts = await head.factsOf(path);
  const broken: BrokenReference[] = [];
  for (const wanted of facts?.source?.references ?? []) {
    const reference = ofLost(wanted, lost, wanted);
    if (!facts || reference === null) continue;
    const targets = await leadsTo(path, facts, reference, plain);
    // A name may have come through files in between.
    const isThrough = targets.length > 0 && reference.names.some((name) => lost.names.has(name));
    const isOfMembers = reference.isOfValue || reference.isOfType;
    if (!isOfMembers && !isThrough && !targets.some((target) => lost.paths.has(target))) continue;
    const found = await follow(path, facts, reference, tree);
    const was = await follow(path, facts, reference, plain);
    const isGuess = was.kind === "found" && was.isGuess;
    if (leadsAstray(found, was, tree, plain)) {
      const kind = isGuess ? "uncertain" : "missing-file";
      broken.push(...newlyBroken(path, reference, { kind }, was, { isOwn: false }));
    } else broken.push(...newlyBroken(path, reference, found, was, { isOwn: false }));
  }
  return broken;
}

/** It led to a file that went, and now leads to one that always lay there: `./a` to `a.json`, once `a.js` is gone. */
function leadsAstray(
  found: FollowedReference,
  was: FollowedReference,
  tree: GroupTree,
  plain: GroupTree,
): boolean {
  if (found.kind !== "found" || was.kind !== "found") return false;
  return (
    was.paths.length > 0 &&
    was.paths.every((path) => !tree.has(path)) &&
    found.paths.every((path) => plain.has(path))
  );
}

function newlyBroken(
  from: string,
  { line, specifier, isOfValue }: Reference,
  found: FollowedReference,
  was: FollowedReference | null,
  { isOwn }: { readonly isOwn: boolean },
): BrokenReference[] {
  if (found.kind === "outside" || found.kind === "uncertain") {
    // What nobody here can tell is a doubt where it could be told, or is new.
    const isNew = was === null ? found.kind === "uncertain" : was.kind === "found";
    return isNew ? [{ kind: "unseen-name", from, line, specifier, names: [], isOwn }] : [];
  }
  if (found.kind === "missing-file") {
    const isOld = was?.kind === "missing-file";
    if (isOld && (!isOwn || BUILT.test(specifier))) return [];
    return [{ kind: isOld ? "unseen-name" : "missing-file", from, line, specifier, names: [], isOwn }];
  }
  const known = new Set(was?.kind === "found" ? [...was.missing, ...was.unseen] : []);
  const about = { from, line, specifier, isOwn };
  const fresh = (names: readonly string[]): string[] => names.filter((name) => !known.has(name));
  // Another type may have a member of that name: a doubt, not a proof.
  const [missing, unseen] = isOfValue
    ? [[], fresh(found.missing)]
    : [fresh(found.missing), fresh(found.unseen)];
  return [
    ...(missing.length > 0
      ? [{ kind: "missing-export", names: missing.map(inWords), ...about } as const]
      : []),
    ...(unseen.length > 0 ? [{ kind: "unseen-name", names: unseen.map(inWords), ...about } as const] : []),
  ];
}

/** A file that is gone, or gives less than before: then the names. */
interface Loss {
  readonly path: string;
  readonly names: readonly string[];
}

function lossOf({ path, change, before, after }: GroupMember): Loss | null {
  const old = change.fromPath ?? path;
  if (!CHECKED_LANGUAGES.has(languageOf(old))) return null;
  if (after === null || change.fromPath !== undefined) return { path: old, names: [] };
  const [was, is] = [before?.source, after.source];
  if (!was || !is || !was.areExportsKnown || !is.areExportsKnown) return null;
  const given = new Set(is.exports);
  const names = was.exports.filter((name) => !given.has(name));
  const isLess = names.length > 0 || was.stars.some((star) => !is.stars.includes(star));
  return isLess ? { path, names: names.filter((name) => name !== "default") } : null;
}

/** Without the marks of members (grammar-facts.ts, type-members.ts), as a text has it; what has no name of its own is in no text. */
const plainName = (name: string): string => name.replace(/^.*[#=]/, "");
const plainNames = (names: readonly string[]): string[] =>
  names.map(plainName).filter((name) => name !== "" && !/[&?>\s]/.test(name));
/** As people write it: `Type.member`. */
const inWords = (name: string): string => name.replace(/^[#=]/, "").replace("#", ".").replaceAll(">", "().");

/** Unchanged files that may name this one, or one of these names of it. Null: they could not be looked for. */
export async function referrersOf(
  path: string,
  head: HeadSources,
  names: readonly string[] = [],
): Promise<readonly string[] | null> {
  const name = nameOfPath(path);
  const stem = name.replace(/(?:\.d)?\.[^.]+$/, "");
  const folder = folderOfPath(path);
  const isEntry = stem === "index" || stem === "__init__";
  const words = isEntry && folder !== "" ? [nameOfPath(folder), stem] : [stem];
  const others = await otherNamesOf(path, stem, headTree(head));
  const found = await head.mentioning(
    [...new Set([...words, ...others, ...plainNames(names)])],
    CHECKED_ENDINGS,
  );
  if (found === null) return null;
  // A folder's entry is also meant by "." and "..", which no search for words finds.
  const near = isEntry ? [...head.paths].filter((at) => folder === "" || at.startsWith(`${folder}/`)) : [];
  const all = [...new Set<string>([...found, ...near])].filter((at) => CHECKED_LANGUAGES.has(languageOf(at)));
  return all.length > MAX_REFERRERS ? null : all;
}

/**
 * Why references of these files could not be followed: whether what they lead to gives what they ask for is not known where it
 * could not be looked into (S3).
 */
async function unlookedTargets(members: readonly GroupMember[], tree: GroupTree): Promise<string[]> {
  const found = new Set<string>();
  for (const { path, after } of members)
    for (const reference of after?.source?.references ?? []) {
      if (!after || reference.names.length === 0 || reference.isOfValue || reference.isOfType) continue;
      const followed = await follow(path, after, reference, tree);
      for (const target of followed.kind === "found" ? followed.paths : []) {
        const why = CHECKED_LANGUAGES.has(languageOf(target))
          ? unlookedWhy(await tree.factsOf(target))
          : null;
        if (why !== null) found.add(`what ${target} gives is not known: ${why}`);
      }
    }
  return [...found];
}

/** Of a file that names one of the group; null: it was looked into. */
async function unlookedReferrer(path: string, head: HeadSources): Promise<string | null> {
  const why = unlookedWhy(await head.factsOf(path));
  return why === null ? null : `what ${path} refers to is not known: ${why}`;
}
