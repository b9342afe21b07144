/** Manifests and lockfiles of a group against each other, in HEAD + group, and manifests against what they were. */
import { textOf } from "../facts/analyse-file.ts";
import type { FileFacts } from "../facts/known/file-facts.ts";
import type { TriageFacts } from "../facts/known/triage-facts.ts";
import {
  folderOfPath,
  joinPath,
  LOCKFILES,
  lockfilePlaces,
  nameOfPath,
} from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import type { GroupTree, HeadSources } from "./references/tree.ts";

export interface LockFinding {
  readonly message: string;
  readonly members: readonly GroupMember[];
  readonly evidence: readonly string[];
}

export interface LoweredVersions {
  readonly member: GroupMember;
  /** At least one: `name from 2 to 1`. */
  readonly versions: readonly string[];
  /** Of the first; null: it stands on no line of its own. */
  readonly line: number | null;
}

/** What compares versions is loaded where a manifest changed. */
export async function loweredIn(
  members: readonly GroupMember[],
  bytesOf: TriageFacts["bytesOf"],
): Promise<LoweredVersions[]> {
  const found: LoweredVersions[] = [];
  for (const member of members) {
    const [was, is] = [member.before?.versions, member.after?.versions];
    if (!was || !is) continue;
    const { loweredVersions } = await import("../facts/manifests/version-order.ts");
    const versions = loweredVersions(was, is);
    if (versions.length === 0) continue;
    const bytes = await bytesOf(member.change, "after");
    found.push({
      member,
      versions,
      line: bytes ? lineOfVersion(textOf(bytes) ?? "", versions[0] ?? "") : null,
    });
  }
  return found;
}

/** `dependencies zod from ^4.1.0 to ^3.2.0` stands where its name and its version do. */
function lineOfVersion(text: string, lowered: string): number | null {
  const [, name = "", version = ""] = /(\S+) from .* to (\S+)$/.exec(lowered) ?? [];
  const at = text
    .split("\n")
    .findIndex((line) => name !== "" && line.includes(name) && line.includes(version));
  return at === -1 ? null : at + 1;
}

/** Of a manifest's versions, those a lockfile does not hold. */
const NOT_LOCKED =
  /^(?:its own version|(?:engines|packageManager|overrides|resolutions|volta|build-system) |(?:python|go|toolchain|rust|edition)$)/;

export async function lockFindings(
  members: readonly GroupMember[],
  head: HeadSources,
  tree: GroupTree,
): Promise<LockFinding[]> {
  const byPath = new Map<string, GroupMember>(members.map((member) => [member.path, member]));
  const findings: LockFinding[] = [];
  for (const member of members) {
    if (member.change.to === null) continue;
    if (nameOfPath(member.path) in LOCKFILES) findings.push(...(await ofManifest(member, byPath, tree)));
    findings.push(...ofLockfile(member, byPath, head));
  }
  return findings;
}

async function ofManifest(
  member: GroupMember,
  byPath: ReadonlyMap<string, GroupMember>,
  tree: GroupTree,
): Promise<LockFinding[]> {
  const path = lockfilePlaces(member.path).find((place) => tree.has(place));
  if (path === undefined) return [];
  const lock = byPath.get(path);
  const changed = changedDependencies(member);
  if (!lock) {
    if (changed.length === 0) return [];
    const message = `${member.path} changed what it depends on, and ${path} was left as it was.`;
    return [{ message, members: [member], evidence: changed }];
  }
  const facts = await tree.factsOf(path);
  const wrong = folderOfPath(path) === folderOfPath(member.path) ? disagreements(member.after, facts) : [];
  if (wrong.length === 0) return [];
  return [{ message: `${member.path} and ${path} do not agree.`, members: [member, lock], evidence: wrong }];
}

function changedDependencies({ before, after }: GroupMember): string[] {
  const [was, is] = [before?.versions ?? {}, after?.versions ?? {}];
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names]
    .filter((name) => !NOT_LOCKED.test(name) && was[name] !== is[name])
    .map((name) => `${name}: ${was[name] ?? "nothing"} became ${is[name] ?? "nothing"}`);
}

/** What the lockfile says the manifest asks for, where it says so. */
function disagreements(manifest: FileFacts | null, lock: FileFacts | null): string[] {
  const [wanted, locked] = [manifest?.versions, lock?.versions];
  if (!wanted || !locked) return [];
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(locked)])].filter(
    (name) => !NOT_LOCKED.test(name),
  );
  return names
    .filter((name) => !name.startsWith("peerDependencies ") || wanted[name] === undefined)
    .filter((name) => wanted[name] !== locked[name])
    .map(
      (name) =>
        `${name}: ${wanted[name] ?? "nothing"} in the manifest, ${locked[name] ?? "nothing"} in the lockfile`,
    );
}

function ofLockfile(
  member: GroupMember,
  byPath: ReadonlyMap<string, GroupMember>,
  head: HeadSources,
): LockFinding[] {
  const name = nameOfPath(member.path);
  const manifest = Object.entries(LOCKFILES).find(([, locks]) => locks.includes(name))?.[0];
  if (manifest === undefined) return [];
  const folder = folderOfPath(member.path);
  const beside = joinPath(folder, manifest);
  const isPaired = [...byPath.keys()].some(
    (path) => nameOfPath(path) === manifest && lockfilePlaces(path).includes(member.path),
  );
  if (isPaired || !head.paths.has(beside)) return [];
  return [
    {
      message: `${member.path} changed, and no manifest it belongs to did.`,
      members: [member],
      evidence: [member.path],
    },
  ];
}
