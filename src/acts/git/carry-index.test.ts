import { describe, expect, it } from "vitest";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import { type CarriedEntry, carryIndex } from "./carry-index.ts";

const FILE = 0o100644;
const blobs: Readonly<Record<string, string>> = {
  base: "1\n2\n3\n4\n5\n",
  session: "1\n2\n3\n4\nS\n",
  user: "U\n2\n3\n4\n5\n",
  clash: "1\n2\n3\n4\nU\n",
};

async function carry(
  old: string | null,
  index: string | null | readonly StagedEntry[],
  commit: string | null,
  isSessions = false,
): Promise<CarriedEntry> {
  const entry = (id: string | null) => (id === null ? null : { mode: FILE, id });
  const staged = typeof index === "string" ? [{ mode: FILE, id: index, stage: 0 }] : (index ?? []);
  return carryIndex({
    old: entry(old),
    commit: entry(commit),
    index: staged,
    isSessions,
    readBlob: async (id) => Buffer.from(blobs[id] ?? ""),
  });
}

describe("carryIndex (W7)", () => {
  it("moves along with the commit where the user staged nothing: never a staged reversal", async () => {
    expect(await carry("base", "base", "session")).toEqual({
      kind: "entry",
      put: { mode: FILE, id: "session" },
    });
    expect(await carry(null, null, "session")).toEqual({ kind: "entry", put: { mode: FILE, id: "session" } });
    expect(await carry("base", "base", null)).toEqual({ kind: "entry", put: null });
  });

  it("keeps what the user staged as his difference from the commit", async () => {
    const found = await carry("base", "user", "session");
    expect(found.kind === "merged" && found.bytes.toString()).toBe("U\n2\n3\n4\nS\n");
    expect(await carry("base", "user", "base")).toMatchObject({ kind: "entry", put: { id: "user" } });
  });

  it("does not commit a path whose staged lines clash, that is unmerged or only intended to be added", async () => {
    expect(await carry("base", "clash", "session")).toMatchObject({ kind: "conflict" });
    expect(await carry("base", [{ mode: FILE, id: "user", stage: 2 }], "session")).toMatchObject({
      kind: "conflict",
    });
    const intended = [{ mode: FILE, id: "e69de29", stage: 0, flags: ["intent-to-add"] as const }];
    expect(await carry(null, intended, "session")).toMatchObject({ kind: "conflict" });
    expect(await carry("base", null, "session"), "a staged deletion").toMatchObject({ kind: "conflict" });
  });

  it("takes the place of what the session itself had staged", async () => {
    expect(await carry("base", "clash", "session", true)).toEqual({
      kind: "entry",
      put: { mode: FILE, id: "session" },
    });
  });
});
