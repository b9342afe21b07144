// Local mirrors of public repositories, read through git and never changed. They lie in one folder, which is named and never
// committed: OWNER+NAME, OWNER+NAME/repo or OWNER/NAME, bare or not.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const CACHES = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const MIRRORS = process.env.REFLOAT_BENCH_MIRRORS ?? join(CACHES, "refloat-bench-histories");
const MAX_OUTPUT = 1024 * 1024 * 1024;

/** Null: this machine has no mirror of it. */
export function mirrorOf(repository, mirrors = MIRRORS) {
  const [owner, name] = repository.split("/");
  const places = [
    join(`${owner}+${name}`, "repo"),
    `${owner}+${name}`,
    join(owner, name),
    join(owner, `${name}.git`),
  ];
  return (
    places
      .map((place) => join(mirrors, place))
      .flatMap((place) => [place, join(place, ".git")])
      .find((place) => existsSync(join(place, "objects"))) ?? null
  );
}

/** The repository's own configuration is somebody else's: nothing of it may start a program. */
export function git(mirror, args, input) {
  const safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"];
  const env = { ...process.env, GIT_NO_REPLACE_OBJECTS: "1", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", ["--git-dir", mirror, ...safe, ...args], {
    input,
    env,
    maxBuffer: MAX_OUTPUT,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Contents by their ids, each read once however many trees have it. Larger ones are not written by hand: left out. */
export function createBlobs(mirror, maxBytes) {
  const known = new Map();
  return {
    load(ids) {
      const wanted = [...new Set(ids)].filter((id) => !known.has(id));
      if (wanted.length === 0) return;
      const out = git(mirror, ["cat-file", "--batch"], `${wanted.join("\n")}\n`);
      for (let at = 0; at < out.length; ) {
        const end = out.indexOf(10, at);
        const [id, type, size] = out.toString("latin1", at, end).split(" ");
        if (type === "missing") {
          at = end + 1;
          continue;
        }
        const bytes = out.subarray(end + 1, end + 1 + Number(size));
        if (bytes.length <= maxBytes && !bytes.includes(0)) known.set(id, Buffer.from(bytes));
        at = end + 2 + Number(size);
      }
    },
    get: (id) => known.get(id),
  };
}

/** The files of a commit: path, mode and content's id. Links and submodules are nobody's text. */
export function listTree(mirror, commit) {
  const out = git(mirror, ["ls-tree", "-r", "-l", "-z", commit]).toString("utf8");
  return out
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const [about, path] = [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)];
      const [mode, type, id, size] = about.split(/\s+/);
      return { path, mode, type, id, size: Number(size) };
    })
    .filter(({ type, mode }) => type === "blob" && mode !== "120000");
}
