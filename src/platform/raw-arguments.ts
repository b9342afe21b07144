/**
 * The arguments this process was started with, as bytes. Node hands them over as text: bytes that are no UTF-8 become U+FFFD, and a
 * name that holds some cannot be told from another.
 */
import { readFileSync } from "node:fs";
import { errnoOf, ioError } from "./io-error.ts";

const FILE = "/proc/self/cmdline";

/** Every one, the program's own name and Node's flags too; none where the platform does not tell. */
export function rawArguments(): Buffer[] {
  const bytes = readBytes();
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    const stop = end === -1 ? bytes.length : end;
    found.push(bytes.subarray(at, stop));
    at = stop + 1;
  }
  return found;
}

function readBytes(): Buffer {
  try {
    return readFileSync(FILE);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return Buffer.alloc(0);
    throw ioError(thrown, FILE);
  }
}
