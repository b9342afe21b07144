/**
 * JSON as text for a stream that may be a terminal (T3): what a terminal could act on is written as \uXXXX.
 * Inside a JSON string that is the same value, so programs read exactly what was stored.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export function jsonText(value: unknown): string {
  return escapeJsonText(JSON.stringify(value));
}

/** For text that is JSON already. Only strings can hold such characters: between tokens JSON allows none but spaces. */
export function escapeJsonText(json: string): string {
  return json.replace(UNSAFE, (found) => {
    let escaped = "";
    for (let i = 0; i < found.length; i++) {
      escaped += `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}
