/** How deep JSON is nested, told in one pass before anything that calls itself for each level goes in (T5). */
const [LINE_FEED, QUOTE, STAR, SLASH, BACKSLASH] = [10, 34, 42, 47, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [91, 93, 123, 125];

/** Exact, also with comments: brackets in strings and comments are none. A string ends with its line at the latest, as its parsers have it. */
export function jsonDepth(bytes: Uint8Array): number {
  let [depth, most] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === SLASH) at = endOfComment(bytes, at);
    else if (byte === OPEN_LIST || byte === OPEN_MAP) most = Math.max(most, ++depth);
    else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth = Math.max(0, depth - 1);
  }
  return most;
}

/** A text with fewer brackets than that is not nested so deep: the engine counts them, and only where there are more each character is looked at. */
export const isDeeper = (text: string, limit: number): boolean =>
  countUpTo(text, "{", limit) + countUpTo(text, "[", limit) > limit && jsonDepth(Buffer.from(text)) > limit;

function countUpTo(text: string, bracket: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at !== -1 && count <= limit; at = text.indexOf(bracket, at + 1))
    count++;
  return count;
}

function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === LINE_FEED) return at;
    if (byte === BACKSLASH && bytes[at + 1] !== LINE_FEED) at++;
  }
  return bytes.length;
}

function endOfComment(bytes: Uint8Array, from: number): number {
  const next = bytes[from + 1];
  if (next === SLASH) {
    const end = bytes.indexOf(LINE_FEED, from);
    return end === -1 ? bytes.length : end;
  }
  if (next !== STAR) return from;
  for (let at = from + 2; at < bytes.length; at++)
    if (bytes[at] === STAR && bytes[at + 1] === SLASH) return at + 1;
  return bytes.length;
}
