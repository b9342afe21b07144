/** D6: what agents did and a full or read-only store cannot take in is said in one line, and the command goes on with what is held. */
import { describe, expect, it } from "vitest";
import { heardPlace } from "../agents/heard-place.ts";
import { BIN } from "../support/cli.ts";
import { need } from "../support/needs.ts";
import { onSmallDisk } from "../support/small-disk.ts";

/** `sessions` where pi was started plainly, with its store on a small disk after `before`. */
function sessionsOn(before: string): { code: number; stdout: string; stderr: string } {
  need("mounts");
  const place = heardPlace();
  place.leave("pi", "killed-in-tool");
  const env = { PATH: process.env.PATH, HOME: place.home };
  const said = onSmallDisk(
    "4m",
    `const { spawnSync } = await import("node:child_process");
     writeAndDie(1);
     ${before}
     const env = { ...${JSON.stringify(env)}, REFLOAT_HOME: disk + "/home" };
     const ran = spawnSync(process.execPath, [${JSON.stringify(BIN)}, "sessions"], { cwd: ${JSON.stringify(place.workspace)}, env, encoding: "utf8" });
     Object.assign(said, { code: ran.status, stdout: ran.stdout, stderr: ran.stderr });`,
  );
  return said as ReturnType<typeof sessionsOn>;
}

describe("what pi did without refloat", () => {
  it("is not silently absent where the store is on a read-only file system (D6)", () => {
    const { code, stderr } = sessionsOn('mount("ro");');
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/what pi did here last is not taken in or shown: .*read-only/);
    expect(code).toBe(0);
  });

  it("is not silently absent where the store's disk is full (D6)", () => {
    const { code, stderr } = sessionsOn("fill();");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/what pi did here last is not taken in or shown: .*full/);
    expect(code).toBe(0);
  });

  it("is said nothing of where it was taken in", () => {
    const { code, stdout, stderr } = sessionsOn("");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("pi");
  });
});
