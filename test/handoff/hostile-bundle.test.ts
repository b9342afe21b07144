/** A bundle somebody else made is data (T3): whatever is in it, it is taken in without harm or refused with a code. */
import { execFileSync } from "node:child_process";
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
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { actsSessionOf } from "../../src/acts/plans/acts-session.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Honest {
  readonly repo: TestRepository;
  readonly bundle: string;
}

async function honestBundle(): Promise<Honest> {
  const place = makePlace();
  const repo = testRepository(join(temporaryFolder(), "origin"));
  repo.write("a.txt", "one\n");
  repo.commit();
  execFileSync("git", ["clone", "-q", repo.root, place.workspace], { stdio: "pipe" });
  const bundle = join(temporaryFolder(), "bundle");
  const script = "echo two > a.txt; echo evil > evil.txt; kill -9 $$";
  await place.refloat(["run", "--bundle", bundle, "--", "sh", "-c", script]);
  return { repo, bundle };
}

/** A copy of the honest bundle with its journal's lines changed, in a fresh clone on a fresh machine. */
function victim(
  honest: Honest,
  change: (lines: JsonObject[], session: string) => JsonObject[],
): {
  place: Place;
  bundle: string;
} {
  const place = makePlace();
  execFileSync("git", ["clone", "-q", honest.repo.root, place.workspace], { stdio: "pipe" });
  const bundle = join(temporaryFolder(), "bundle");
  cpSync(honest.bundle, bundle, { recursive: true });
  const file = join(bundle, "journal.jsonl");
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const changed = change(lines, idOf(bundle));
  writeFileSync(file, `${changed.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return { place, bundle };
}

const idOf = (bundle: string): string =>
  JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")).session.id;

const withPath =
  (path: string) =>
  (lines: JsonObject[]): JsonObject[] =>
    JSON.parse(JSON.stringify(lines).replaceAll('"evil.txt"', JSON.stringify(path)));

async function refusedAt(place: Place, bundle: string, code: string): Promise<JsonObject> {
  const { code: exit, json } = await place.json(["store", "import", bundle]);
  expect([exit, json.code]).toEqual([1, code]);
  return json;
}

describe("a hostile bundle", () => {
  it("whose capture names a way out, a hook of the repository or a path through a link writes nothing there, however often it is told to (W3)", async () => {
    const honest = await honestBundle();
    const first = victim(honest, (lines) => lines);
    for (const path of [
      "../escaped.txt",
      join(dirname(first.place.workspace), "escaped.txt"),
      "x/../../escaped.txt",
      ".",
    ]) {
      const { place, bundle } = victim(honest, withPath(path));
      expect((await refusedAt(place, bundle, "E_BAD_RECORD")).message).toContain(
        "leads out of its workspace",
      );
      expect(existsSync(join(dirname(place.workspace), "escaped.txt"))).toBe(false);
    }
    for (const path of [
      ".git/hooks/post-checkout",
      "sub/.GIT/config",
      "git~1/config",
      ".g\u200cit/config",
      "a//b",
    ]) {
      const { place, bundle } = victim(honest, withPath(path));
      expect((await refusedAt(place, bundle, "E_BAD_RECORD")).message).toMatch(/keeps for itself|empty name/);
    }
    const outside = temporaryFolder();
    for (const path of ["link/evil.txt"]) {
      const { place, bundle } = victim(honest, withPath(path));
      symlinkSync(outside, join(place.workspace, "link"));
      await place.json(["store", "import", bundle]);
      const captures = (await place.json(["captures"])).json.captures.map(({ id }: JsonObject) => id);
      for (const id of captures)
        await place.refloat(["restore", id, "--yes", ...(path.startsWith("link") ? [path] : [])]);
      expect(readdirSync(outside)).toEqual([]);
    }
  });

  it("cannot bring a plan, a verdict or another session along: it speaks for its own session only (T2)", async () => {
    const honest = await honestBundle();
    const { place, bundle } = victim(honest, (lines, session) => {
      const own = lines.filter(({ id, session: of }) => id === session || of === session);
      const extra = own.map((line) => ({
        ...line,
        ...(line.type === "session" ? { id: "other" } : { session: "other" }),
      }));
      const end = lines.at(-1) as JsonObject;
      return [...lines.slice(0, -1), ...extra, { ...end, sessions: 2, records: end.records * 2 }];
    });
    expect((await refusedAt(place, bundle, "E_IMPORT")).message).toContain(
      "another session than its manifest names",
    );
    const acts = actsSessionOf({ root: place.workspace });
    const renamed = victim(honest, (lines, session) =>
      JSON.parse(JSON.stringify(lines).replaceAll(session, acts)),
    );
    const manifest = readFileSync(join(renamed.bundle, "manifest.json"), "utf8");
    writeFileSync(join(renamed.bundle, "manifest.json"), manifest.replaceAll(idOf(renamed.bundle), acts));
    await refusedAt(renamed.place, renamed.bundle, "E_BAD_BUNDLE");
    writeFileSync(
      join(renamed.bundle, "manifest.json"),
      manifest.replaceAll(idOf(honest.bundle), "../../up"),
    );
    await refusedAt(renamed.place, renamed.bundle, "E_IMPORT");
  });

  it("that is cut off anywhere, padded, or has other bytes under a hash is refused, and taking in the whole one afterwards works; archive and patch are not touched by us", async () => {
    const honest = await honestBundle();
    const { place, bundle } = victim(honest, (lines) => lines);
    const file = join(bundle, "journal.jsonl");
    const whole = readFileSync(file);
    for (const bytes of [
      whole.subarray(0, whole.length - 5),
      whole.subarray(0, Math.floor(whole.length / 2)),
      Buffer.alloc(0),
      Buffer.concat([Buffer.alloc(1728), whole]),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
    ]) {
      writeFileSync(file, bytes);
      await refusedAt(place, bundle, "E_IMPORT");
    }
    const text = whole.toString("utf8");
    const forged = text.replace(/"data":"[^"]+"/, `"data":"${Buffer.from("other").toString("base64")}"`);
    expect(forged).not.toBe(text);
    writeFileSync(file, forged);
    await refusedAt(place, bundle, "E_IMPORT");
    writeFileSync(file, whole);
    writeFileSync(join(bundle, "untracked.tar"), Buffer.alloc(1 << 20, "../"));
    writeFileSync(join(bundle, "changes.patch"), "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+evil\n");
    expect((await place.json(["store", "import", bundle])).code).toBe(0);
    const status = execFileSync("git", ["status", "--porcelain"], { cwd: place.workspace, encoding: "utf8" });
    expect(status).toBe("");
    expect((await place.json(["store", "check"])).code).toBe(0);
    writeFileSync(join(bundle, "manifest.json"), "{");
    await refusedAt(place, bundle, "E_BAD_BUNDLE");
    rmSync(join(bundle, "manifest.json"));
    mkdirSync(join(bundle, "manifest.json"));
    await refusedAt(place, bundle, "E_BAD_BUNDLE");
  });
});
