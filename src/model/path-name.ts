/**
 * A path inside a workspace, as its bytes: on Linux a name is any bytes but NUL and slash, and git hands them
 * over as they are. A string carries them without loss: valid UTF-8 as it is, every other byte 0x80 to 0xFF as
 * the lone surrogate U+DC80 + (byte - 0x80). UTF-8 has no surrogates, so the two never meet.
 */
declare const brand: unique symbol;
export type PathName = string & { readonly [brand]: "path" };

/** How a path stands in JSON: readable, and exact in `path_b64` where the readable form is not. */
export interface PathJson {
  readonly path: string;
  readonly path_b64?: string | undefined;
}

export interface PathsJson {
  readonly paths: readonly string[];
  readonly paths_b64?: readonly string[];
}

const ESCAPED_FIRST = 0xdc80;
const ESCAPED_LAST = 0xdcff;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function pathFromBytes(bytes: Uint8Array): PathName {
  if (isPlain(bytes))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1") as PathName;
  try {
    return strict.decode(bytes) as PathName;
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return escaped(bytes) as PathName;
  }
}

export function pathToBytes(path: PathName): Buffer {
  if (path.isWellFormed()) return Buffer.from(path, "utf8");
  const pieces: Buffer[] = [];
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0;
    const isEscaped = code >= ESCAPED_FIRST && code <= ESCAPED_LAST;
    pieces.push(isEscaped ? Buffer.from([code - ESCAPED_FIRST + 0x80]) : Buffer.from(character, "utf8"));
  }
  return Buffer.concat(pieces);
}

/** What a person typed, or a tool named: text. Trailing slashes and a leading "./" mean nothing. */
export function pathFromText(text: string): PathName {
  return text.replace(/^(?:\.\/+)+/, "").replace(/(.)\/+$/s, "$1") as PathName;
}

/** Well-formed text; bytes that are no text show as U+FFFD. For the eye, never to be used as a name again. */
export const pathForDisplay = (path: PathName): string => path.toWellFormed();

export function pathJson(path: PathName): PathJson {
  if (path.isWellFormed()) return { path };
  return { path: pathForDisplay(path), path_b64: pathToBytes(path).toString("base64") };
}

/** Several, as `paths`; all of them stand in `paths_b64`, too, where one is not exact as it reads. */
export function pathsJson(paths: readonly PathName[]): PathsJson {
  const isText = paths.every((path) => path.isWellFormed());
  return {
    paths: paths.map(pathForDisplay),
    ...(isText ? {} : { paths_b64: paths.map((path) => pathToBytes(path).toString("base64")) }),
  };
}

export function pathFromJson({ path, path_b64 }: PathJson): PathName {
  return path_b64 === undefined ? (path as PathName) : pathFromBytes(Buffer.from(path_b64, "base64"));
}

/** True for the folder itself and for everything below it. */
export function isWithin(path: PathName, folder: PathName): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

function isPlain(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte >= 0x80) return false;
  return true;
}

/** Takes the longest valid character at each place; a byte that begins none is escaped alone. */
function escaped(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = validLength(bytes, at);
    text +=
      length === 0
        ? String.fromCharCode(ESCAPED_FIRST + ((bytes[at] ?? 0) - 0x80))
        : strict.decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

function validLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch (thrown) {
    if (thrown instanceof TypeError) return 0;
    throw thrown;
  }
}

/** Fields that end with NUL, as git prints them with -z and the kernel hands out arguments. The last one may lack it. */
export function* nulFields(output: Buffer): Generator<Buffer> {
  for (let at = 0; at < output.length; ) {
    const nul = output.indexOf(0, at);
    const end = nul === -1 ? output.length : nul;
    yield output.subarray(at, end);
    at = end + 1;
  }
}

export const nulPaths = (output: Buffer): PathName[] => [...nulFields(output)].map(pathFromBytes);

// Names that git keeps for itself, wherever a tree may end up: `.git` in any case, with the characters HFS+ leaves out, and
// as NTFS would read it (`git~1`, trailing dots and spaces, a stream behind a colon, a backslash as a slash). The rules are
// git's own for what may be in an index, all of them on every system: a capture may be put back on another one. Whoever
// writes such a name writes a repository's configuration, and with it what the user's next git runs (W3).

/** What HFS+ does not see in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const KEPT_NAME = /^(?:\.git|git~1)[. ]*(?::|$)/i;
/** Most names have not even these letters in this order. */
const MAY_BE = /g.*i.*t/is;

/** One component of a path. */
export const isGitName = (name: string): boolean =>
  MAY_BE.test(name) && name.split("\\").some((part) => KEPT_NAME.test(part.replace(UNSEEN, "")));

/** Any component of a path. */
export const hasGitName = (path: string): boolean => MAY_BE.test(path) && path.split("/").some(isGitName);
