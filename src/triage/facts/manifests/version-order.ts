/**
 * Whether a version went down, and which of a manifest's did. Semver where the text is semver or a range of npm's; else numbers and
 * pre-releases as PEP 440 and image tags write them. Null where the two cannot be compared: then nothing is said.
 */
import semver from "semver";
import type { Versions } from "./tables.ts";

interface LooseVersion {
  readonly numbers: readonly number[];
  /** Pre-releases come before the release: -1; the release 0; post-releases 1. */
  readonly stage: number;
  readonly stageRank: string;
}

const LOOSE =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview|dev|post)[-_.]?(\d*))?/i;
/** Operators in front of a version; of several, the first decides. */
const OPERATOR = /^\s*(?:===|==|~=|>=|<=|\^|~|=|>|<)\s*/;
/** What it must stay below; never compared with what it may not fall below. */
const CEILING = /^\s*</;
/** `v4`, `3.12`: a tag that moves, or a line of versions. */
const PARTIAL = /^v?\d+(?:\.\d+)?$/;
const NOT_A_VERSION = /^\s*(?:[*x]|latest|next|file:|link:|git|https?:|!=|\$|[0-9a-f]{40}$)/i;
/** Where a version is taken from, in front of it: another name, this repository, a tag of one, an archive. */
const SOURCES: readonly RegExp[] = [
  /^(npm:.+)@([^@/]+)$/,
  /^(workspace:)(.*\d.*)$/,
  /^([^#]+[/:][^#]+)#(?:semver:)?(.+)$/,
  /^((?:git|hg|svn|bzr)\+\S+)@([^@/]+)$/,
  /^(https?:\S*?)[-/@]v?(\d+(?:\.\d+)+[\w.+-]*?)(?:\.(?:tgz|tar\.\w+|zip)|-py\d\S*\.whl)$/,
];

/** Negative: `to` is lower than `from`. */
export function compareVersions(from: string, to: string): number | null {
  const [was, is] = [sourceOf(from), sourceOf(to)];
  return was.source === is.source ? compareBare(was.version, is.version) : null;
}

/** The same thing may stand in a manifest many times: the lowest of its versions is kept. */
export function keepLowest(versions: Record<string, string>, name: string, version: string): void {
  const known = versions[name];
  const order = known === undefined ? null : compareVersions(known, version);
  if (known === undefined || (order !== null && order < 0)) versions[name] = version;
}

function sourceOf(text: string): { readonly source: string; readonly version: string } {
  for (const pattern of SOURCES) {
    const [, source, version] = pattern.exec(text.trim()) ?? [];
    if (source !== undefined && version !== undefined) return { source, version };
  }
  return { source: "", version: text };
}

function compareBare(from: string, to: string): number | null {
  if (from === to) return 0;
  if (CEILING.test(from) !== CEILING.test(to)) return null;
  if (NOT_A_VERSION.test(from) || NOT_A_VERSION.test(to)) return null;
  const isTag = [from, to].some((text) => PARTIAL.test(text.trim()) || CEILING.test(text));
  const [low, high] = isTag ? [null, null] : [minimumOf(from), minimumOf(to)];
  if (low && high) return semver.compare(high, low);
  const [a, b] = [looseOf(from), looseOf(to)];
  return a && b ? compareLoose(a, b) : null;
}

function minimumOf(text: string): semver.SemVer | null {
  const cleaned = text.trim();
  if (semver.valid(cleaned)) return semver.parse(cleaned);
  // Two-number tags and PEP 440 are no ranges of npm's.
  if (/[a-z]/i.test(cleaned.replace(/^v/, "")) && !semver.validRange(cleaned)) return null;
  return semver.validRange(cleaned) === null ? null : semver.minVersion(cleaned);
}

function looseOf(text: string): LooseVersion | null {
  const match = LOOSE.exec(text.replace(OPERATOR, "").trim());
  if (!match?.[2]) return null;
  // PEP 440: an epoch stands above everything behind it.
  const numbers = [match[1] ?? 0, ...match[2].split(".")].map(Number);
  const word = match[3]?.toLowerCase();
  const stage = word === undefined ? 0 : word === "post" ? 1 : -1;
  const stageRank =
    word === undefined ? "" : `${word.replace("dev", "0dev")} ${(match[4] ?? "0").padStart(9, "0")}`;
  return { numbers, stage, stageRank };
}

function compareLoose(from: LooseVersion, to: LooseVersion): number {
  // "v4.1" to "v4" names less, not an older one: only the numbers both have are compared.
  const shared = Math.min(from.numbers.length, to.numbers.length);
  for (let at = 0; at < shared; at++) {
    const difference = (to.numbers[at] ?? 0) - (from.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (from.numbers.length !== to.numbers.length) return 0;
  if (from.stage !== to.stage) return to.stage - from.stage;
  return to.stageRank < from.stageRank ? -1 : to.stageRank > from.stageRank ? 1 : 0;
}

/** Which of a manifest's versions went down. */
export function loweredVersions(old: Readonly<Versions>, fresh: Readonly<Versions>): string[] {
  return Object.entries(fresh).flatMap(([name, version]) => {
    const was = old[name] ?? movedFrom(name, old, fresh);
    if (was === undefined) return [];
    const order = compareVersions(was, version);
    return order !== null && order < 0 ? [`${name} from ${was} to ${version}`] : [];
  });
}

/** Where it stood before it moved: among another kind of dependencies, for other Pythons, at the path of another major version in Go. */
function movedFrom(name: string, old: Readonly<Versions>, fresh: Readonly<Versions>): string | undefined {
  const key = Object.keys(old).find((other) => !(other in fresh) && thingOf(other) === thingOf(name));
  return key === undefined ? undefined : old[key];
}

const thingOf = (name: string): string =>
  name
    .replace(/^(?:dependencies|devDependencies|peerDependencies|optionalDependencies) /, "")
    .replace(/ ; .*$/, "")
    .replace(/[/.]v\d+$/, "");
