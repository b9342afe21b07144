/** Bytes as text, where they are text. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Null: not text. */
export function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.includes(0)) return null;
  try {
    return utf8.decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}
