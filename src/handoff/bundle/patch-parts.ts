/**
 * The text of `git diff` cut into the parts of single paths, so that one with a secret can be left out whole. Renames must
 * be off: then both names of a header are the same.
 */
import { type PathName, pathFromBytes } from "../../model/path-name.ts";

export interface PatchPart {
  readonly path: PathName;
  readonly bytes: Buffer;
}

/** Only a header begins with this: lines of content begin with a blank, a sign, or a length and no blank at all. */
const HEADER = Buffer.from("diff --git ");
const NEWLINE = 0x0a;

export function patchParts(patch: Buffer): PatchPart[] {
  const starts: number[] = [];
  for (let at = 0; at < patch.length; ) {
    if (patch.subarray(at, at + HEADER.length).equals(HEADER)) starts.push(at);
    const end = patch.indexOf(NEWLINE, at);
    if (end === -1) break;
    at = end + 1;
  }
  return starts.map((start, i) => {
    const bytes = patch.subarray(start, starts[i + 1] ?? patch.length);
    return { path: pathOf(bytes), bytes };
  });
}

/** `a/NAME b/NAME`, both the same; or both in quotes, with escapes. */
function pathOf(part: Buffer): PathName {
  const end = part.indexOf(NEWLINE);
  const names = part.subarray(HEADER.length, end === -1 ? part.length : end);
  const one = names.subarray(0, (names.length - 1) / 2);
  const name = one[0] === 0x22 ? unquoted(one.subarray(1, -1)) : one;
  return pathFromBytes(name.subarray(2));
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  '"': 0x22,
  "\\": 0x5c,
};

function unquoted(quoted: Buffer): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < quoted.length; at++) {
    const byte = quoted[at] ?? 0;
    if (byte !== 0x5c) {
      bytes.push(byte);
      continue;
    }
    const letter = String.fromCharCode(quoted[at + 1] ?? 0);
    const known = ESCAPES[letter];
    if (known === undefined) {
      bytes.push(Number.parseInt(quoted.toString("latin1", at + 1, at + 4), 8));
      at += 3;
    } else {
      bytes.push(known);
      at += 1;
    }
  }
  return Buffer.from(bytes);
}
