/** The dependencies of a checked clone: the check sees them, and nothing it does reaches the user's own (V1, V2, V3; W1). */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { fingerprint, type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  /** A package that is linked from elsewhere. */
  readonly far: string;
  /** Where checks write what they saw. */
  readonly notes: string;
}

/** A workspace of two packages, installed, with a session's change in it and a dirty file beside. */
async function scene(): Promise<Scene> {
  const place = makePlace();
  const [repo, far, notes] = [testRepository(place.workspace), temporaryFolder(), temporaryFolder()];
  repo.write(".gitignore", "node_modules\n.venv\n");
  repo.write("packages/a/index.js", "head\n");
  repo.write("n", "0\n");
  repo.commit();
  repo.write("node_modules/dep/index.js", "dep\n");
  repo.write("node_modules/.cache/tool/old", "stale\n");
  repo.write("packages/a/node_modules/inner/index.js", "inner\n");
  repo.write(".venv/bin/tool", "#!/bin/sh\necho tool\n", 0o755);
  writeFileSync(join(far, "index.js"), "far\n");
  const links = join(repo.root, "node_modules");
  symlinkSync("../packages/a", join(links, "a"));
  mkdirSync(join(links, "@scope"));
  symlinkSync(join(repo.root, "packages/a"), join(links, "@scope/absolute"));
  symlinkSync(far, join(links, "far"));
  await leftSession(place, repo, {
    isTurnOpen: true,
    edits: { "data.bin": () => repo.write("data.bin", "1") },
  });
  repo.write("packages/a/index.js", "dirty\n");
  return { place, repo, far, notes };
}

/** Everything a check would try; what it could do is noted, and it passes all the same. */
const HOSTILE = `
root=$1 notes=$2
try() { "$@" >/dev/null 2>&1 && echo "did: $*" >> "$notes/did"; }
[ -e "$notes/seen" ] || {
  for file in node_modules/dep/index.js packages/a/node_modules/inner/index.js node_modules/a/index.js \\
    node_modules/@scope/absolute/index.js node_modules/far/index.js "$root/packages/a/index.js"; do
    echo "$file $(cat "$file" 2>&1)" | sed "s|$root|ROOT|"
  done
  echo "tool $(tool)"
  echo "cache $(ls -A node_modules/.cache | wc -l)"
  echo "git $(git log --format=%s -1) $(git cat-file -t HEAD^{tree}) $(git status --porcelain -- packages | wc -l)"
  echo "object $(echo x | git hash-object -w --stdin | wc -c)"
  case $PWD$VIRTUAL_ENV in *"$root"*) echo "names the workspace" ;; *) echo "names the clone" ;; esac
} > "$notes/seen"
for folder in node_modules packages/a/node_modules .venv "$root/node_modules" "$root/.venv" node_modules/far "$FAR"; do
  try touch "$folder/new"
  try mkdir "$folder/folder"
done
for file in node_modules/dep/index.js .venv/bin/tool "$root/node_modules/dep/index.js" node_modules/far/index.js; do
  try rm -f "$file"
  try sh -c ": > $file"
  try mv "$file" "$file.moved"
  try chmod 600 "$file"
done
try rm -rf node_modules/dep
try mv node_modules gone
try umount -l "$root"
for at in node_modules "$root/node_modules" "$FAR"; do
  try mount -o remount,rw "$at"
  try mount -o remount,bind,rw "$at"
  try umount "$at"
  try umount -l "$at"
  try unshare --user --map-root-user --mount sh -c "mount -o remount,bind,rw $at && touch $at/new"
  try unshare --user --map-root-user --mount sh -c "umount -l $at && touch $at/new"
done
try nsenter -t 1 -m touch "$root/node_modules/new"
for process in 1 "$REFLOAT_PID"; do
  try touch "/proc/$process/root$root/node_modules/new"
  try touch "/proc/$process/cwd/node_modules/new"
done
touch node_modules/.cache/new || echo "no cache" >> "$notes/did"
exit 0`;

const SEEN = [
  "node_modules/dep/index.js dep",
  "packages/a/node_modules/inner/index.js inner",
  "node_modules/a/index.js head",
  "node_modules/@scope/absolute/index.js head",
  "node_modules/far/index.js far",
  "ROOT/packages/a/index.js head",
  "tool tool",
  "cache 0",
  "git work tree 0",
  "object 41",
  "names the clone",
];

/** Runs the hostile check as a user; what it did to what is his is nothing. */
async function hostile({ place, repo, far, notes }: Scene, uid: number): Promise<JsonObject> {
  const script = join(notes, "hostile.sh");
  writeFileSync(script, HOSTILE);
  const folders = [place.home, repo.root, far, notes];
  if (uid !== process.getuid?.()) execFileSync("chown", ["-R", `${uid}:${uid}`, ...folders]);
  const [before, elsewhere] = [fingerprint(repo.root), fingerprint(far)];
  const path = `${join(repo.root, ".venv/bin")}:${process.env.PATH}`;
  const env = { PATH: path, HOME: place.home, REFLOAT_HOME: place.home, VIRTUAL_ENV: `${repo.root}/.venv` };
  const check = `REFLOAT_PID=$PPID FAR='${far}' sh '${script}' '${repo.root}' '${notes}'`;
  const child = spawn(process.execPath, [BIN, "inspect", "--json", "--verify", check], {
    cwd: repo.root,
    env,
    uid,
    gid: uid,
  });
  const { stdout, stderr } = await ended(child);
  const json = JSON.parse(stdout) as JsonObject;
  expect({ stderr, head: json.verify?.head }).toMatchObject({ head: "passed" });
  expect(fingerprint(repo.root)).toBe(before);
  expect(fingerprint(far)).toBe(elsewhere);
  expect(readdirSync(join(place.home, "scratch"))).toEqual([]);
  expect(mountsBelow(place.home)).toEqual([]);
  return json.verify.dependencies;
}

const mountsBelow = (folder: string, process = "self"): string[] =>
  readFileSync(`/proc/${process}/mountinfo`, "utf8")
    .split("\n")
    .filter((line) => line.split(" ")[4]?.startsWith(folder));

const noted = (folder: string, name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trimEnd().split("\n") : [];

describe("dependencies of a check", () => {
  it.each([
    ["root", 0],
    ["a user", 65_534],
  ])(
    "are read-only for %s, who cannot write, delete, remount or reach around them, and the clone is what it sees",
    async (_who, uid) => {
      // Only root can become another; whoever runs the tests otherwise is the user.
      const as = process.getuid?.() === 0 ? uid : (process.getuid?.() ?? 0);
      need(as === 0 ? "mounts" : "mounts of a user");
      const found = await scene();
      const given = await hostile(found, as);
      expect(noted(found.notes, "seen")).toEqual(SEEN);
      expect(noted(found.notes, "did")).toEqual([]);
      expect(given).toEqual({
        how: "read-only",
        given: [{ path: ".venv" }, { path: "node_modules" }, { path: "packages/a/node_modules" }],
        withheld: [],
      });
    },
  );

  it("leave nothing mounted when refloat is killed in the middle, and the next sweep takes the clone, never what was in it", async () => {
    need("mounts");
    const { place, repo, notes } = await scene();
    const before = fingerprint(repo.root);
    const check = `echo $$ > '${notes}/pid.new' && mv '${notes}/pid.new' '${notes}/pid'; while [ ! -e '${notes}/stop' ]; do sleep 0.1; done`;
    const killed = place.start(["inspect", "--verify", check]);
    const end = ended(killed);
    await until(() => existsSync(join(notes, "pid")));
    const pid = Number(readFileSync(join(notes, "pid"), "utf8"));
    try {
      const [clone = ""] = readdirSync(join(place.home, "scratch"));
      expect(mountsBelow(join(place.home, "scratch", clone, "node_modules"), String(pid))).not.toEqual([]);
      killed.kill("SIGKILL");
      expect((await end).signal).toBe("SIGKILL");
      expect(mountsBelow(place.home)).toEqual([]);
      // The check lives on, with its mounts in the clone that is swept now.
      const { json } = await place.json(["inspect", "--verify", "test -f node_modules/dep/index.js"]);
      expect(json.verify).toMatchObject({ head: "passed", dependencies: { how: "read-only" } });
      expect(readdirSync(join(place.home, "scratch"))).not.toContain(clone);
      expect(fingerprint(repo.root)).toBe(before);
    } finally {
      writeFileSync(join(notes, "stop"), "");
    }
    await until(() => !existsSync(`/proc/${pid}`));
    expect(mountsBelow(place.home)).toEqual([]);
    expect(fingerprint(repo.root)).toBe(before);
  });

  it("are not given where nothing can be mounted for one program, or a mount could be undone, and that is said with the reason", async () => {
    need("mounts");
    const { place, repo, notes } = await scene();
    const before = fingerprint(repo.root);
    const refusing = fakeProgram(
      "unshare",
      "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1",
    );
    const lax = fakeProgram("mount", `case "$*" in *remount*) exit 0 ;; esac; exec /bin/mount "$@"`);
    for (const [folder, why] of [
      [refusing, "Operation not permitted"],
      [lax, "a program can undo a mount here"],
    ] as const) {
      const env = { PATH: `${folder}:${process.env.PATH}` };
      const check = `ls -A node_modules >> '${notes}/seen' 2>&1; exit 0`;
      const { json } = await place.json(["inspect", "--verify", check], { env });
      const { how, given, withheld } = json.verify.dependencies;
      expect([how, given]).toEqual(["none", []]);
      expect(withheld).toHaveLength(3);
      for (const one of withheld) expect(one.why).toContain(why);
    }
    expect(noted(notes, "seen").filter((line) => !/No such file|cannot access/.test(line))).toEqual([]);
    expect(fingerprint(repo.root)).toBe(before);
  });

  it("are linked on the user's word alone; a folder that leads back to his tree is not; the links go, the folders stay", async () => {
    const { place, repo } = await scene();
    repo.write(".venv/lib/python3.12/site-packages/__editable__.a.pth", `${repo.root}/packages/a\n`);
    const check =
      "test -L packages/a/node_modules && ! test -e node_modules && ! test -e .venv && touch packages/a/node_modules/written";
    const { json } = await place.json(["inspect", "--verify", check, "--link-deps"]);
    expect(json.verify).toMatchObject({
      head: "passed",
      dependencies: { how: "linked", given: [{ path: "packages/a/node_modules" }] },
    });
    const why = Object.fromEntries(
      json.verify.dependencies.withheld.map((one: JsonObject) => [one.path, one.why]),
    );
    expect(why).toMatchObject({
      node_modules: expect.stringMatching(/leads to your tree/),
      ".venv": expect.stringMatching(/__editable__/),
    });
    expect(readdirSync(join(repo.root, "packages/a/node_modules"))).toEqual(["inner", "written"]);
    expect(readdirSync(join(place.home, "scratch"))).toEqual([]);
  });

  it("are left out for a check that installs its own, for the whole run; a link that leads nowhere is no folder", async () => {
    const { place, repo } = await scene();
    const before = fingerprint(repo.root);
    const check = "rm -rf node_modules && mkdir node_modules && touch node_modules/installed";
    const { json } = await place.json(["inspect", "--verify", check]);
    expect(json.verify).toMatchObject({ head: "passed", dependencies: { how: "none", given: [] } });
    expect(json.verify.groups).toMatchObject([{ outcome: "passed" }]);
    expect(json.verify.dependencies.withheld).toHaveLength(3);
    expect(fingerprint(repo.root)).toBe(before);
    execFileSync("rm", ["-rf", "node_modules", "packages/a/node_modules", ".venv"], { cwd: repo.root });
    symlinkSync("nowhere", join(repo.root, "node_modules"));
    const bare = await place.json(["inspect", "--verify", "true"]);
    expect(bare.json.verify.dependencies).toEqual({ how: "none", given: [], withheld: [] });
  });

  it("are there for last-good and for the check that the configuration names, too", async () => {
    need("mounts");
    const { place, repo } = await scene();
    const check = "test $(cat n) -le 2 && test -f node_modules/dep/index.js && ! touch node_modules/new";
    repo.write("refloat.json", JSON.stringify({ verify: check }));
    repo.git("add", "refloat.json");
    repo.git("commit", "-q", "-m", "config", "refloat.json");
    const ids = await place.withStore(async (store) => {
      const session = await store.begin({ id: "steps", agent: "t", workspace: repo.root });
      const found: string[] = [];
      for (let n = 1; n <= 3; n++) {
        repo.write("n", `${n}\n`);
        found.push((await session.capture(`step ${n}`)).id);
      }
      await session.finish();
      return found;
    });
    const before = fingerprint(repo.root);
    const last = await place.json(["last-good", "steps", "--verify", check]);
    expect(last.json).toMatchObject({ capture: ids[1], bad: ids[2], dependencies: { how: "read-only" } });
    await place.json(["inspect", "steps", "--verify", check]);
    const { json } = await place.json(["inspect", "steps"]);
    expect(json.verify).toMatchObject({ command: check, head: "passed", dependencies: { how: "read-only" } });
    expect(fingerprint(repo.root)).toBe(before);
  });

  it("are linked for settle, commit, park and discard on the same word, and what the check was given is said (DESIGN 10)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    const check = "test -f node_modules/dep/index.js && touch node_modules/written";
    repo.write(".gitignore", "node_modules\n");
    repo.write("refloat.json", JSON.stringify({ verify: check }));
    repo.commit();
    repo.write("node_modules/dep/index.js", "dep\n");
    await leftSession(place, repo, { edits: { "a.bin": () => repo.write("a.bin", "1") } });
    const written = join(repo.root, "node_modules/written");
    await place.refloat(["inspect", "--verify", check]);
    const closed = await place.refloat(["settle", "--dry-run"]);
    expect(closed.stderr).toContain("fails on HEAD alone");
    expect(existsSync(written)).toBe(false);
    for (const words of [["settle"], ["commit", "--all"], ["park", "--all"], ["discard", "--safe"]]) {
      const ran = await place.refloat([...words, "--dry-run", "--link-deps"], { env: ANN });
      expect({ words, ...ran }).toMatchObject({ code: 0, stderr: expect.stringMatching(/passes on HEAD/) });
      expect(ran.stderr).toContain("linked: the check could write into them");
      rmSync(written);
    }
  });
});

/** A folder with one program in it that stands before the machine's own. */
function fakeProgram(name: string, lines: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`);
  chmodSync(join(folder, name), 0o755);
  return folder;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
