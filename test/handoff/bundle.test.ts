/** A bundle made on one machine is put back, taken in and judged on another: fresh home, fresh clone. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { briefOf } from "../../src/app/handoff/session-brief.ts";
import { writeBundle } from "../../src/handoff/bundle/write-bundle.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { recoverWorkspace } from "../../src/recover/recover-sessions.ts";
import { newestCaptures } from "../../src/workspace/captures/captures.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { seedSession } from "../support/seed-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FILES = [
  "manifest.json",
  "handoff.md",
  "changes.patch",
  "untracked.tar",
  "journal.jsonl",
  "README.txt",
  "blackbox.html",
];

async function bundleOf(place: Place, session: string, isRaw = false): Promise<string> {
  const folder = join(temporaryFolder(), "bundle");
  await place.withStore(async (store) => {
    const workspace = openWorkspace(place.workspace, { env: process.env });
    await recoverWorkspace(store.raw, workspace, {
      env: process.env,
      home: place.home,
    });
    const row = await store.raw.session(session as SessionId);
    if (!row || workspace.kind !== "git") throw new Error("no such session");
    const looking = { clock: systemClock, env: process.env, home: place.home, stands: process.cwd() };
    const written = await briefOf({ kind: "session", store, row }, looking, 2000);
    if (!written) throw new Error("nothing to tell");
    const { manifest, facts, brief } = written;
    const [capture = null] = await newestCaptures(store.raw, [row], 1);
    const repository = await workspace.repository();
    await writeBundle({
      ...{ folder, store: store.raw, row, repository, capture, manifest, facts, brief, isRaw },
      headAtBegin: null,
    });
  });
  return folder;
}

/** Types what README.txt says under "With plain git", in a fresh clone. */
function putBack(bundle: string, clone: string): void {
  const readme = readFileSync(join(bundle, "README.txt"), "utf8");
  const [, plain = ""] = /With plain git[^\n]*\n\n([\s\S]*?)\n\n/.exec(readme) ?? [];
  execFileSync("sh", ["-ec", plain.replaceAll("BUNDLE", `'${bundle}'`)], { cwd: clone, stdio: "pipe" });
}

const shapeOf = (json: JsonObject): unknown =>
  json.groups
    .map(({ verdict, changes }: JsonObject) => [
      verdict,
      changes.map(({ path, kind, owner, to }: JsonObject) => [path, kind, owner, to?.hash ?? null]),
    ])
    .sort();

describe("a bundle", () => {
  it("is put back with plain git and tar, and taken in: the same changes, owners and verdicts on another machine", async () => {
    const here = makePlace();
    const { repo, session } = await seedSession(here);
    repo.write("notes/new file.md", "# New\n");
    const bundle = await bundleOf(here, session);
    for (const name of FILES) expect(existsSync(join(bundle, name)), name).toBe(true);
    const there = makePlace();
    execFileSync("git", ["clone", "-q", repo.root, there.workspace], { stdio: "pipe" });
    putBack(bundle, there.workspace);
    expect(readFileSync(join(there.workspace, "notes/new file.md"), "utf8")).toBe("# New\n");
    const taken = await there.json(["store", "import", bundle]);
    expect(taken).toMatchObject({ code: 0, json: { sessions: 1, session, moved: { to: there.workspace } } });
    const left = await here.json(["inspect", session]);
    const found = await there.json(["inspect"]);
    expect(found.json.session).toMatchObject({ id: session, unsettled: true });
    expect(shapeOf(found.json)).toEqual(shapeOf(left.json));
    expect(found.json.last_output).toBe(left.json.last_output);
    const again = await there.json(["store", "import", bundle]);
    expect(again.json).toMatchObject({ records: 0, moved: null });
  });

  it("holds no secret: files with one are named gaps, text is redacted; with raw it is all there", async () => {
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const here = makePlace();
    const { repo, session } = await seedSession(here);
    repo.write("secret.env", `GITHUB_TOKEN=${token}\n`);
    repo.write("Makefile", `export TOKEN=${token}\n`);
    const bundle = await bundleOf(here, session);
    for (const name of FILES) expect(readFileSync(join(bundle, name)).includes(token), name).toBe(false);
    const { gaps } = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
    expect(gaps.map(({ path }: JsonObject) => path).sort()).toEqual(["Makefile", "secret.env"]);
    expect(readFileSync(join(bundle, "README.txt"), "utf8")).toContain('"secret.env": it may hold a secret');
    const raw = await bundleOf(here, session, true);
    expect(readFileSync(join(raw, "untracked.tar")).includes(token)).toBe(true);
    expect(readFileSync(join(raw, "changes.patch")).includes(token)).toBe(true);
  });

  it("holds a workflow's state file whole while a step is held: its own attempt_token is no secret there (T4)", async () => {
    const here = makePlace();
    const { session } = await seedSession(here);
    expect((await here.refloat(["state", "init"])).code).toBe(0);
    expect((await here.refloat(["step", "start", "1", "--owner", "ann"])).code).toBe(0);
    expect(readFileSync(join(here.workspace, "00-session-state.json"), "utf8")).toContain(
      '"attempt_token": "0',
    );
    const { gaps } = JSON.parse(readFileSync(join(await bundleOf(here, session), "manifest.json"), "utf8"));
    expect(gaps.filter(({ why }: JsonObject) => `${why}`.includes("secret"))).toEqual([]);
  });

  it("opens in a browser without loading or running anything, whatever the session's text holds (T3)", async () => {
    const here = makePlace();
    const { repo, session } = await seedSession(here);
    repo.write("journal/2026-04-16.md", "# Journal\n</pre><script>alert(1)</script><img src=http://e.vil>\n");
    const html = readFileSync(join(await bundleOf(here, session), "blackbox.html"), "utf8");
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|<img|<link|<iframe|\bonerror=/i);
    expect(html).toContain("&lt;script&gt;");
  });

  it("of another repository is taken in without moving its session here, and what is no bundle is refused", async () => {
    const here = makePlace();
    const { session } = await seedSession(here);
    const bundle = await bundleOf(here, session);
    const there = makePlace();
    const other = testRepository(there.workspace);
    other.write("f", "1\n");
    other.commit();
    expect((await there.json(["store", "import", bundle])).json).toMatchObject({ sessions: 1, moved: null });
    const folder = temporaryFolder();
    expect(await there.json(["store", "import", folder])).toMatchObject({
      code: 1,
      json: { code: "E_BAD_BUNDLE" },
    });
    writeFileSync(join(folder, "manifest.json"), "{}");
    symlinkSync(join(bundle, "journal.jsonl"), join(folder, "journal.jsonl"));
    expect(await there.json(["store", "import", folder])).toMatchObject({
      code: 1,
      json: { code: "E_BAD_BUNDLE" },
    });
  });
});
