import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { createDurableFrom } from "./durable-stream.ts";

async function* pieces(...all: readonly string[]): AsyncGenerator<string> {
  yield* all;
}

describe("createDurableFrom", () => {
  it("writes all pieces in order into a private file and counts its bytes, not its characters", async () => {
    const path = join(temporaryFolder(), "out");
    expect(await createDurableFrom(path, pieces("a", "", "ü", "x".repeat(200_000)))).toBe(200_003);
    expect(readFileSync(path, "utf8")).toBe(`aü${"x".repeat(200_000)}`);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it("never overwrites: something of that name is E_EXISTS, stays as it is, and nothing is read", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "out");
    writeFileSync(path, "mine");
    let isRead = false;
    async function* watched(): AsyncGenerator<string> {
      isRead = true;
      yield "other";
    }
    await expect(createDurableFrom(path, watched())).rejects.toMatchObject({ code: "E_EXISTS" });
    expect([readFileSync(path, "utf8"), isRead]).toEqual(["mine", false]);
  });

  it("does not lose a race either: a file that appears while it writes is kept", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "out");
    async function* racing(): AsyncGenerator<string> {
      yield "ours";
      writeFileSync(path, "theirs");
    }
    await expect(createDurableFrom(path, racing())).rejects.toMatchObject({ code: "E_EXISTS" });
    expect(readFileSync(path, "utf8")).toBe("theirs");
    expect(readdirSync(folder)).toEqual(["out"]);
  });

  it("leaves nothing behind when the source fails in the middle", async () => {
    const folder = temporaryFolder();
    async function* failing(): AsyncGenerator<string> {
      yield "half";
      throw new Error("the source broke");
    }
    await expect(createDurableFrom(join(folder, "out"), failing())).rejects.toThrow("the source broke");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says that the folder is missing, and makes none", async () => {
    const path = join(temporaryFolder(), "no", "out");
    await expect(createDurableFrom(path, pieces("x"))).rejects.toMatchObject({ code: "E_STORE_IO" });
    expect(existsSync(path)).toBe(false);
  });
});
