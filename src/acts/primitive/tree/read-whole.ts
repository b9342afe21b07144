/** The bytes at a name that nobody else writes to any more, piece by piece; of a link its target. */
import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import { CHUNK_BYTES } from "../../../model/limits.ts";
import type { PresentState } from "../../../model/path-state.ts";

export async function* readWhole(at: Buffer, { kind }: PresentState): AsyncGenerator<Uint8Array> {
  if (kind === "symlink") {
    yield readlinkSync(at, { encoding: "buffer" }) as unknown as Buffer;
    return;
  }
  const fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const read = readSync(fd, buffer, 0, CHUNK_BYTES, null);
      if (read === 0) return;
      yield buffer.subarray(0, read);
    }
  } finally {
    closeSync(fd);
  }
}
