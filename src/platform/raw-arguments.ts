/**
 * The arguments this process was started with, as bytes. Node hands them over as text: bytes that are no UTF-8 become U+FFFD, and a
 * name that holds some cannot be told from another.
 */
import { readFileSync } from "node:fs";
import { errnoOf, ioError } from "./io-error.ts";
import { nulFields } from "./nul-fields.ts";

const FILE = "/proc/self/cmdline";

/** Every one, the program's own name and Node's flags too; none where the platform does not tell. */
export const rawArguments = (): Buffer[] => [...nulFields(readBytes())];

function readBytes(): Buffer {
  try {
    return readFileSync(FILE);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return Buffer.alloc(0);
    throw ioError(thrown, FILE);
  }
}
