/** Fields that end with NUL, as git prints them with -z and the kernel hands out arguments. The last one may lack it. */
import { type PathName, pathFromBytes } from "../model/path-name.ts";

export function* nulFields(output: Buffer): Generator<Buffer> {
  for (let at = 0; at < output.length; ) {
    const nul = output.indexOf(0, at);
    const end = nul === -1 ? output.length : nul;
    yield output.subarray(at, end);
    at = end + 1;
  }
}

export const nulPaths = (output: Buffer): PathName[] => [...nulFields(output)].map(pathFromBytes);
