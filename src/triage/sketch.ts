/** Whether two texts are much the same, from a few numbers of each: the smallest hashes of their lines. Pure. */
const SIZE = 48;
/** Shorter lines are braces and blanks. */
const MIN_LINE_CHARS = 8;
/** Fewer lines say nothing. */
const MIN_LINES = 4;
/** Share of lines in common that makes a copy: a file moved and edited keeps most of them. */
const ALIKE_SHARE = 0.5;

export function sketchOf(text: string): number[] {
  const hashes = new Set<number>();
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed.length >= MIN_LINE_CHARS) hashes.add(hashOf(trimmed));
  }
  return [...hashes].sort((a, b) => a - b).slice(0, SIZE);
}

export function areAlike(a: readonly number[], b: readonly number[]): boolean {
  if (Math.min(a.length, b.length) < MIN_LINES) return false;
  const [left, right] = [new Set(a), new Set(b)];
  // The smallest of both together are a fair sample of all their lines.
  const sample = [...new Set([...a, ...b])].sort((x, y) => x - y).slice(0, SIZE);
  const shared = sample.filter((hash) => left.has(hash) && right.has(hash)).length;
  return shared >= ALIKE_SHARE * sample.length;
}

/** FNV-1a: quick, and nobody gains by fooling it. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
