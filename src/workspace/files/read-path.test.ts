import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import { type DescriptorWalk, openDescriptorWalk } from "../../platform/descriptor-walk.ts";
import { hashingSink } from "./contents-sink.ts";
import { type ReadOutcome, readPath } from "./read-path.ts";

/** Does something at the very moment between the reading and the second look. */
async function readWhile(root: string, path: string, meanwhile: () => void): Promise<[ReadOutcome, number]> {
  const walk = openDescriptorWalk(root);
  onTestFinished(() => walk.close());
  let pauses = 0;
  const watched: DescriptorWalk = {
    ...walk,
    plain: (bytes) => {
      meanwhile();
      return walk.plain(bytes);
    },
  };
  const outcome = await readPath(path as PathName, {
    walk: watched,
    sink: hashingSink(),
    maxBytes: 100 * CHUNK_BYTES,
    tries: 3,
    pause: async () => {
      pauses++;
    },
  });
  return [outcome, pauses];
}

describe("reading a path", () => {
  it.each([
    ["small", 10],
    ["large", CHUNK_BYTES + 10],
  ])(
    "W4: a %s file that grew while it was read is read again and then a gap, never held",
    async (_what, size) => {
      const root = temporaryFolder();
      writeFileSync(join(root, "f"), Buffer.alloc(size));
      const [outcome, pauses] = await readWhile(root, "f", () => appendFileSync(join(root, "f"), "x"));
      expect(outcome).toMatchObject({ kind: "gap", reason: "moving" });
      expect(pauses).toBe(2);
    },
  );

  it("W4: a file that comes to rest is held, with the bytes it then has", async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, "f"), "a");
    let writes = 0;
    const [outcome] = await readWhile(root, "f", () => {
      if (writes++ === 0) appendFileSync(join(root, "f"), "b");
    });
    expect(outcome).toMatchObject({ kind: "held", state: { size: 2 } });
  });

  it("W4: a file that was replaced by another of equal bytes while it was read is not held as the old one", async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, "f"), "same");
    const [outcome] = await readWhile(root, "f", () => {
      writeFileSync(join(root, "g"), "same");
      renameSync(join(root, "g"), join(root, "f"));
    });
    expect(outcome).toMatchObject({ kind: "gap", reason: "moving" });
  });

  it("W3, W4: a parent swapped for a link to elsewhere while its file was read is noticed", async () => {
    const root = temporaryFolder();
    const outside = temporaryFolder();
    mkdirSync(join(root, "a"));
    writeFileSync(join(root, "a/f"), "inside");
    writeFileSync(join(outside, "f"), "outside");
    let swaps = 0;
    const [outcome] = await readWhile(root, "a/f", () => {
      if (swaps++ > 0) return;
      renameSync(join(root, "a"), join(root, "b"));
      symlinkSync(outside, join(root, "a"));
    });
    // Read again, there is a link in the way: nothing of ours is at that path any more.
    expect(outcome).toMatchObject({ kind: "held", state: null });
  });
});
