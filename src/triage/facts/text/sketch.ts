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
  for (let from = 0; from <= text.length; ) {
    const found = text.indexOf("\n", from);
    const end = found === -1 ? text.length : found;
    const hash = hashOfLine(text, from, end);
    if (hash !== null) hashes.add(hash);
    from = end + 1;
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

const SPACE = 0x20;

/** Of the line without the blanks around it, by FNV-1a: quick, and nobody gains by fooling it. Null: it says too little. */
function hashOfLine(text: string, lineFrom: number, lineEnd: number): number | null {
  let [from, end] = [lineFrom, lineEnd];
  while (from < end && text.charCodeAt(from) <= SPACE) from++;
  while (end > from && text.charCodeAt(end - 1) <= SPACE) end--;
  if (end - from < MIN_LINE_CHARS) return null;
  let hash = 0x811c9dc5;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
