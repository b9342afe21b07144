/**
 * Whether a version went down. Semver where the text is semver or a range of npm's; else numbers and pre-releases as
 * PEP 440 and image tags write them. Null where the two cannot be compared: then nothing is said.
 */
import semver from "semver";

interface Loose {
  readonly numbers: readonly number[];
  /** Pre-releases come before the release: -1; the release 0; post-releases 1. */
  readonly stage: number;
  readonly stageRank: string;
}

const LOOSE = /^v?(?:\d+!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview|dev|post)[-_.]?(\d*))?/i;
/** Operators in front of a version; of several, the first decides. */
const OPERATOR = /^\s*(?:===|==|~=|>=|\^|~|=|>)\s*/;
/** `v4`, `3.12`: a tag that moves, or a line of versions. */
const PARTIAL = /^v?\d+(?:\.\d+)?$/;
const NOT_A_VERSION =
  /^\s*(?:[*x]|latest|next|workspace:|file:|link:|git|https?:|npm:|<|!=|\$|[0-9a-f]{40}$)/i;

/** Negative: `to` is lower than `from`. */
export function compareVersions(from: string, to: string): number | null {
  if (from === to) return 0;
  if (NOT_A_VERSION.test(from) || NOT_A_VERSION.test(to)) return null;
  const isTag = [from, to].some((text) => PARTIAL.test(text.trim()));
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

function looseOf(text: string): Loose | null {
  const match = LOOSE.exec(text.replace(OPERATOR, "").trim());
  const numbers = match?.[1]?.split(".").map(Number);
  if (!numbers) return null;
  const word = match?.[2]?.toLowerCase();
  const stage = word === undefined ? 0 : word === "post" ? 1 : -1;
  const stageRank =
    word === undefined ? "" : `${word.replace("dev", "0dev")} ${(match?.[3] ?? "0").padStart(9, "0")}`;
  return { numbers, stage, stageRank };
}

function compareLoose(from: Loose, to: Loose): number {
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
