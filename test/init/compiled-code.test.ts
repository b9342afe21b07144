/**
 * The program's compiled code (docs/decisions/0031): made by `init` alone, whole or not at all, right for the Node it is of; and
 * whatever becomes of it, the program runs as without it.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { Script } from "node:vm";
import { beforeEach, describe, expect, it } from "vitest";
import { INDEX_HEAD } from "../../src/platform/load-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe("compiled code beside the program", () => {
  let [app, home, pack] = ["", "", ""];

  beforeEach(() => {
    app = temporaryFolder();
    home = join(app, "home");
    mkdirSync(join(home, ".claude"), { recursive: true });
    cpSync(join(ROOT, "dist"), join(app, "dist"), { recursive: true });
    rmSync(join(app, "dist/compiled"), { recursive: true, force: true });
    symlinkSync(join(ROOT, "node_modules"), join(app, "node_modules"));
    pack = join(app, "dist/compiled", `${process.version}-${process.arch}.pack`);
  });

  function refloat(...args: string[]): Ended {
    const env = { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: join(home, "store") };
    return spawnSync(process.execPath, [join(app, "dist/cli/bin.js"), ...args], {
      cwd: home,
      env,
      encoding: "utf8",
    });
  }

  it("W1: no command but `init` makes it, and a dry run says that it would", () => {
    expect(refloat("status").status).toBe(0);
    expect(refloat("sessions").status).toBe(0);
    const shown = refloat("init", "--dry-run").stdout.split("\n");
    expect(shown.join(" ")).toContain("Commands will start faster");
    expect([shown.length <= 24, shown.every((line) => line.length <= 80)]).toEqual([true, true]);
    const dry = refloat("init", "--dry-run", "--json");
    expect(JSON.parse(dry.stdout)).toMatchObject({ plan: { compiled: { path: pack, change: "create" } } });
    expect(existsSync(join(app, "dist/compiled"))).toBe(false);
    expect(refloat("init", "--yes")).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(join(app, "dist/compiled"))).toEqual([`${process.version}-${process.arch}.pack`]);
    expect(JSON.parse(refloat("init", "--dry-run", "--json").stdout)).toMatchObject({
      plan: { compiled: { path: pack, change: "none" } },
    });
  });

  it("is taken for every file of the program by the Node that it is of", () => {
    refloat("init", "--yes");
    const bytes = readFileSync(pack);
    const behind = INDEX_HEAD.bytes + bytes.readUInt32LE(INDEX_HEAD.length);
    const index = JSON.parse(bytes.toString("latin1", INDEX_HEAD.bytes, behind)) as Record<
      string,
      [number, number]
    >;
    const program = join(app, "dist/program");
    const names = readdirSync(program).filter((name) => name.endsWith(".js"));
    expect(Object.keys(index).sort()).toEqual(names.sort());
    for (const [name, [from, length]] of Object.entries(index)) {
      const cachedData = bytes.subarray(behind + from, behind + from + length);
      const script = new Script(readFileSync(join(program, name), "latin1"), {
        filename: join(program, name),
        cachedData,
      });
      expect([name, script.cachedDataRejected]).toEqual([name, false]);
    }
  });

  it("damaged, cut off or of something else it is not used, and the program runs as without it", () => {
    refloat("init", "--yes");
    const bytes = readFileSync(pack);
    const behind = INDEX_HEAD.bytes + bytes.readUInt32LE(INDEX_HEAD.length);
    const wanted = refloat("status", "--json");
    expect(wanted.status).toBe(0);
    const damaged = {
      "each file's code overwritten": withEach(bytes, behind),
      "cut in the middle": bytes.subarray(0, bytes.length / 2),
      "cut in its index": bytes.subarray(0, behind / 2),
      empty: Buffer.alloc(0),
      "another place in its index": Buffer.from(bytes.toString("latin1").replace(/\[\d/, "[9"), "latin1"),
      "an index longer than it": Buffer.concat([Buffer.from([255, 255, 255, 255]), bytes.subarray(4)]),
      zeros: Buffer.alloc(bytes.length),
    };
    for (const [how, what] of Object.entries(damaged)) {
      writeFileSync(pack, what);
      expect({ how, ...told(refloat("status", "--json")) }).toEqual({ how, ...told(wanted) });
    }
  });
});

const told = ({ status, stdout, stderr }: Ended): Ended => ({ status, stdout, stderr });

/** V8's own look is at the first bytes alone: the ones behind them are what makes it crash. */
function withEach(bytes: Buffer, behind: number): Buffer {
  const damaged = Buffer.from(bytes);
  for (let at = behind + 24; at < damaged.length; at += 997) damaged[at] = (damaged[at] ?? 0) ^ 0x55;
  return damaged;
}
