import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { unshareArguments } from "../../test/support/needs.ts";
import { program } from "../../test/support/program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  createDurable,
  linkDurable,
  makePrivateDirectory,
  removeDurable,
  syncDirectory,
  writeAtomic,
  writeDurable,
} from "./durable-file.ts";

/** What the sources asked the system for, and what it should answer with instead. */
const system = vi.hoisted(() => ({
  steps: [] as string[],
  failing: new Map<string, { code: string; skip: number }>(),
  names: new Map<unknown, string>(),
}));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const watched = (name: keyof typeof fs, describe: (args: unknown[], result: unknown) => string) => {
    const real = fs[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      const failure = system.failing.get(name);
      if (failure !== undefined && failure.skip-- === 0) {
        throw Object.assign(new Error(`${failure.code}: injected, ${name}`), { code: failure.code });
      }
      const result = real(...args);
      system.steps.push(describe(args, result));
      return result;
    };
  };
  const label = (path: unknown) =>
    String(path)
      .replace(/.*\/\.tmp-\w+$/, "temporary")
      .replace(/.*\//, "");
  const opened = (args: unknown[], fd: unknown) => {
    system.names.set(fd, label(args[0]));
    return `open ${label(args[0])}`;
  };
  const onDescriptor = (verb: string) => (args: unknown[]) => `${verb} ${system.names.get(args[0])}`;
  const onPaths = (verb: string) => (args: unknown[]) => `${verb} ${label(args[0])} ${label(args[1])}`;
  return {
    ...fs,
    openSync: watched("openSync", opened),
    writeFileSync: watched("writeFileSync", onDescriptor("write")),
    fsyncSync: watched("fsyncSync", onDescriptor("sync")),
    closeSync: watched("closeSync", onDescriptor("close")),
    renameSync: watched("renameSync", onPaths("rename")),
    linkSync: watched("linkSync", onPaths("link")),
    unlinkSync: watched("unlinkSync", (args) => `unlink ${label(args[0])}`),
    mkdirSync: watched("mkdirSync", (args) => `mkdir ${label(args[0])}`),
    rmSync: watched("rmSync", (args) => `remove ${label(args[0])}`),
  };
});

afterEach(() => system.failing.clear());

function stepsOf(act: () => void): string[] {
  system.steps.length = 0;
  act();
  return system.steps.filter((step) => !step.startsWith("open"));
}

function fail(name: string, code: string, { skip = 0 } = {}): void {
  system.failing.set(name, { code, skip });
}

function codeOf(act: () => void): string {
  try {
    act();
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
  }
  return "no error";
}

test("D1: a durable write syncs the file before its name and the directory after it, and only then returns", () => {
  const folder = temporaryFolder();
  const steps = stepsOf(() => writeDurable(join(folder, "mark"), "text"));
  const dir = basename(folder);
  expect(steps).toEqual([
    "write temporary",
    "sync temporary",
    "close temporary",
    "rename temporary mark",
    `sync ${dir}`,
    `close ${dir}`,
  ]);
});

test("D7: an atomic write takes no sync and still shows nobody a half file", () => {
  const steps = stepsOf(() => writeAtomic(join(temporaryFolder(), "mark"), "text"));
  expect(steps).toEqual(["write temporary", "close temporary", "rename temporary mark"]);
});

test("D1: a durable creation syncs the file before it is linked and the directory when the old name is gone", () => {
  const folder = temporaryFolder();
  const steps = stepsOf(() => createDurable(join(folder, "new"), "text"));
  const dir = basename(folder);
  expect(steps).toEqual([
    "write temporary",
    "sync temporary",
    "close temporary",
    "link temporary new",
    "unlink temporary",
    `sync ${dir}`,
    `close ${dir}`,
  ]);
});

test.each([
  ["writeDurable", writeDurable],
  ["writeAtomic", writeAtomic],
])("%s replaces the whole file, for its owner alone, and leaves nothing else behind", (_name, write) => {
  const folder = temporaryFolder();
  const path = join(folder, "mark");
  writeFileSync(path, "a much longer text that was there before", { mode: 0o644 });
  write(path, new Uint8Array([0, 255, 10]));
  expect([...readFileSync(path)]).toEqual([0, 255, 10]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  write(path, "é", { mode: 0o640 });
  expect(readFileSync(path, "utf8")).toBe("é");
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(["mark"]);
});

test("a write to a symbolic link's name replaces the link and never writes through it", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "precious"), "mine");
  symlinkSync("precious", join(folder, "mark"));
  writeDurable(join(folder, "mark"), "new");
  expect(lstatSync(join(folder, "mark")).isSymbolicLink()).toBe(false);
  expect(readFileSync(join(folder, "precious"), "utf8")).toBe("mine");
});

test("a name as long as a name can be is still written durably", () => {
  const path = join(temporaryFolder(), "n".repeat(255));
  writeDurable(path, "text");
  expect(readFileSync(path, "utf8")).toBe("text");
});

test.each([
  ["file", (path: string) => writeFileSync(path, "first")],
  ["folder", (path: string) => mkdirSync(path)],
  ["dangling link", (path: string) => symlinkSync("nowhere", path)],
])("a creation over a %s throws E_EXISTS, changes nothing and leaves no temporary file", (_what, make) => {
  const folder = temporaryFolder();
  const path = join(folder, "taken");
  make(path);
  const before = lstatSync(path);
  expect(codeOf(() => createDurable(path, "second"))).toBe("E_EXISTS");
  const after = lstatSync(path);
  expect([after.ino, after.mtimeMs, after.size]).toEqual([before.ino, before.mtimeMs, before.size]);
  expect(readdirSync(folder)).toEqual(["taken"]);
});

test("a created file is its owner's alone and has one name only", () => {
  const folder = temporaryFolder();
  createDurable(join(folder, "new"), "text");
  const { mode, nlink } = statSync(join(folder, "new"));
  expect([mode & 0o777, nlink, readdirSync(folder)]).toEqual([0o600, 1, ["new"]]);
});

test("linking a finished file moves it to its name, and over a taken name leaves both files as they were", () => {
  const folder = temporaryFolder();
  const [from, path] = [join(folder, "draft"), join(folder, "store")];
  writeFileSync(from, "one");
  const steps = stepsOf(() => linkDurable(from, path));
  expect(steps.indexOf("sync draft")).toBeLessThan(steps.indexOf("link draft store"));
  expect(steps.at(-2)).toBe(`sync ${basename(folder)}`);
  expect(readdirSync(folder)).toEqual(["store"]);
  writeFileSync(from, "two");
  expect(codeOf(() => linkDurable(from, path))).toBe("E_EXISTS");
  expect([readFileSync(from, "utf8"), readFileSync(path, "utf8")]).toEqual(["two", "one"]);
});

test("a file system without hard links is named as that, not as a read-only store", () => {
  const folder = temporaryFolder();
  fail("linkSync", "EPERM");
  expect(codeOf(() => createDurable(join(folder, "new"), "text"))).toBe("E_UNSUPPORTED");
  expect(readdirSync(folder)).toEqual([]);
});

test("D6: a sync of the directory that fails after the link is an error, though the file has its name", () => {
  fail("fsyncSync", "EIO", { skip: 1 });
  expect(codeOf(() => createDurable(join(temporaryFolder(), "new"), "text"))).toBe("E_STORE_IO");
});

test.each([
  ["writeFileSync", "ENOSPC", "E_STORE_FULL"],
  ["writeFileSync", "EDQUOT", "E_STORE_FULL"],
  ["fsyncSync", "EIO", "E_STORE_IO"],
  ["closeSync", "ENOSPC", "E_STORE_FULL"],
  ["renameSync", "EROFS", "E_STORE_READ_ONLY"],
])(
  "D6: when %s fails with %s the caller gets %s, the old file is whole and no temporary one stays",
  (name, code, expected) => {
    const folder = temporaryFolder();
    const path = join(folder, "mark");
    writeDurable(path, "old");
    fail(name, code);
    expect(codeOf(() => writeDurable(path, "new"))).toBe(expected);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["mark"]);
  },
);

test("D6: a first failure is reported even when its temporary file cannot be removed", () => {
  fail("writeFileSync", "ENOSPC");
  fail("rmSync", "EIO");
  expect(codeOf(() => writeDurable(join(temporaryFolder(), "mark"), "new"))).toBe("E_STORE_FULL");
});

test("D6: on a really full disk a write fails with E_STORE_FULL, the old file stays readable, and it works once space is back", () => {
  const folder = temporaryFolder();
  const text = `
    import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
    import { writeDurable } from "./platform/durable-file.ts";
    const [dir] = process.argv.slice(2);
    const mark = dir + "/mark";
    const attempt = (size) => { try { writeDurable(mark, "x".repeat(size)); return "done"; } catch (e) { return e.code; } };
    const said = [attempt(10)];
    writeFileSync(dir + "/ballast", "b".repeat(40_000));
    said.push(attempt(60_000), readFileSync(mark, "utf8"), readdirSync(dir).toSorted().join());
    rmSync(dir + "/ballast");
    said.push(attempt(60_000), readFileSync(mark).length);
    console.log(JSON.stringify(said));`;
  const said = onSmallDisk(folder, program(folder, text), "");
  expect(said).toEqual(["done", "E_STORE_FULL", "xxxxxxxxxx", "ballast,mark", "done", 60_000]);
});

test("D6: on a really read-only file system every write fails with E_STORE_READ_ONLY", () => {
  const folder = temporaryFolder();
  const text = `
    import { createDurable, makePrivateDirectory, removeDurable, writeAtomic, writeDurable } from "./platform/durable-file.ts";
    const [dir] = process.argv.slice(2);
    const attempt = (act) => { try { act(); return "done"; } catch (e) { return e.code; } };
    console.log(JSON.stringify([
      attempt(() => writeDurable(dir + "/a", "")), attempt(() => writeAtomic(dir + "/a", "")),
      attempt(() => createDurable(dir + "/a", "")), attempt(() => makePrivateDirectory(dir + "/b/c")),
      attempt(() => removeDurable(dir + "/there")),
    ]));`;
  const said = onSmallDisk(
    folder,
    program(folder, text),
    `touch "$1/there" && mount -o remount,ro tmpfs "$1" &&`,
  );
  expect(said).toEqual(Array(5).fill("E_STORE_READ_ONLY"));
});

test("missing folders are made for this user alone, each one durable in its parent before the next", () => {
  const folder = temporaryFolder();
  const steps = stepsOf(() => makePrivateDirectory(join(folder, "a", "b")));
  const dir = basename(folder);
  expect(steps).toEqual(["mkdir a", `sync ${dir}`, `close ${dir}`, "mkdir b", "sync a", "close a"]);
  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, "a", "b")).mode & 0o777).toBe(0o700);
});

test("a folder that is there already is left as it is, with its permissions", () => {
  const folder = join(temporaryFolder(), "mine");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  expect(stepsOf(() => makePrivateDirectory(folder))).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o755);
});

test("a folder another process makes at the same moment is no error, and is synced all the same", () => {
  const folder = temporaryFolder();
  const racing = join(folder, "racing");
  const steps = stepsOf(() => {
    const real = system.failing;
    real.set("mkdirSync", {
      code: "EEXIST",
      get skip() {
        // The other process is exactly between our look and our own mkdir.
        spawnSync("mkdir", ["-p", racing]);
        return 0;
      },
      set skip(_left: number) {
        real.delete("mkdirSync");
      },
    });
    makePrivateDirectory(racing);
  });
  expect(steps).toEqual([`sync ${basename(folder)}`, `close ${basename(folder)}`]);
});

test("a file in the place of a folder is an error and stays", () => {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, "mine");
  expect(codeOf(() => makePrivateDirectory(path))).toBe("E_STORE_IO");
  expect(codeOf(() => makePrivateDirectory(join(path, "below")))).toBe("E_STORE_IO");
  expect(readFileSync(path, "utf8")).toBe("mine");
});

test("a durable removal syncs the directory, also when an earlier one was cut off before its sync", () => {
  const path = join(temporaryFolder(), "mark");
  writeFileSync(path, "");
  linkSync(path, join(dirname(path), "other"));
  const sync = `sync ${basename(dirname(path))}`;
  expect(stepsOf(() => removeDurable(path))).toContain(sync);
  expect([existsSync(path), existsSync(join(dirname(path), "other"))]).toEqual([false, true]);
  expect(stepsOf(() => removeDurable(path))).toContain(sync);
});

test("a directory is synced only as a directory, and a missing one is an error", () => {
  const folder = temporaryFolder();
  expect(stepsOf(() => syncDirectory(folder))).toEqual([
    `sync ${basename(folder)}`,
    `close ${basename(folder)}`,
  ]);
  writeFileSync(join(folder, "file"), "");
  expect(codeOf(() => syncDirectory(join(folder, "file")))).toBe("E_STORE_IO");
  expect(codeOf(() => syncDirectory(join(folder, "missing")))).toBe("E_STORE_IO");
});

test.each([
  ["create.before-link", [false, 1]],
  ["create.after-link", [true, 1]],
])("D1: a process killed at %s leaves the whole new file or none under its name", (at, expected) => {
  const folder = temporaryFolder();
  const target = join(folder, "made");
  mkdirSync(target);
  const text = `
    import { createDurable } from "./platform/durable-file.ts";
    createDurable(process.argv[2] + "/new", "whole");`;
  const env = { ...process.env, REFLOAT_CRASH_AT: at };
  const ended = spawnSync(process.execPath, [program(folder, text), target], { env, timeout: 30_000 });
  expect(ended.signal).toBe("SIGKILL");
  const names = readdirSync(target);
  const isThere = names.includes("new");
  expect([isThere, names.filter((name) => name.startsWith(".tmp-")).length]).toEqual(expected);
  if (isThere) expect(readFileSync(join(target, "new"), "utf8")).toBe("whole");
});

/** Runs the program on a file system of 64 KiB that only it can see. */
function onSmallDisk(folder: string, file: string, prepare: string): unknown {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const script = `mount -t tmpfs -o size=64k tmpfs "$1" && ${prepare} exec "$2" "$3" "$1"`;
  const args = [...unshareArguments("--mount"), "--", "sh", "-c", script, "sh", disk, process.execPath, file];
  const ended = spawnSync("unshare", args, { encoding: "utf8", timeout: 30_000 });
  expect(ended.stderr).toBe("");
  return JSON.parse(ended.stdout);
}
