/** Commits that no remote has are kept with a shared store, as they come, and seen (W8, T5). */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { bodyAs } from "../../src/model/record.ts";
import { BIN, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startHost } from "./host.ts";

const { url } = freshSchema();

function clonedOn(host: ReturnType<typeof startHost>) {
  const origin = testRepository(temporaryFolder());
  origin.write("a.txt", "one\n");
  origin.commit("base");
  const work = join(host.disk, "work");
  host.git(host.disk, "clone", "-q", origin.root, work);
  return { origin, work };
}

/** Commits three times, with a capture after each; the second time what is staged and changed, too. */
const AGENT = `for n in 1 2 3; do echo $n > c$n.txt; git add -A; git commit -qm "the agent's $n"; "$0" "$1" capture > /dev/null; done
  echo two >> a.txt; "$0" "$1" capture > /dev/null`;

async function keptIn(session: string) {
  const store = await openStore(url, { thread: false });
  try {
    const all = [];
    for await (const record of store.raw.journal(session as SessionId, { kinds: ["capture.taken"] })) {
      const kept = bodyAs(record, "capture.taken")?.commits;
      if (kept?.bundle)
        all.push({
          ...kept,
          bytes: Buffer.concat(await collect(store.raw.readContent(kept.bundle as never))),
        });
    }
    return all;
  } finally {
    await store.close();
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe("commits that no remote has, with a shared store", () => {
  it("are kept by each capture that sees a new HEAD, each behind the one before, so that a clone can fetch them; `show` says so (W8)", async () => {
    const host = startHost("one", url);
    const { origin, work } = clonedOn(host);
    const here = { cwd: work };
    expect((await host.refloat(["run", "--", "sh", "-c", AGENT, process.execPath, BIN], here)).code).toBe(0);
    const { sessions } = (await host.json(["sessions"], here)).json;
    const id: string = sessions[0].id;
    const head = host.git(work, "rev-parse", "HEAD");
    const { json } = await host.json(["show", id], here);
    expect(json.commits).toMatchObject({ head, commits: 3, left_out: null });
    expect((await host.refloat(["show", id], here)).stdout).toContain(
      `3 commits that no remote has, kept up to ${head.slice(0, 12)}`,
    );
    const kept = await keptIn(id);
    expect(
      kept.map(({ commits }) => commits),
      "each only what is new",
    ).toEqual([1, 1, 1]);
    const other = join(host.disk, "other");
    host.git(host.disk, "clone", "-q", origin.root, other);
    for (const [at, { bytes }] of kept.entries()) {
      const file = join(host.disk, `${at}.bundle`);
      writeFileSync(file, bytes);
      host.git(other, "fetch", "-q", file, "refs/heads/main:refs/heads/came");
    }
    expect(host.git(other, "rev-parse", "came")).toBe(head);
    expect(host.git(other, "fsck", "--no-dangling")).toBe("");
    const redacted = await host.refloat(["store", "export", id], here);
    expect(redacted.stdout, "compressed, a secret in it cannot be seen (T4)").not.toContain(
      `"hash":"${kept[0]?.bundle}","bytes"`,
    );
  }, 300_000);

  it("are not kept where a remote has them, where the store goes with the machine, and again where nothing came (T5)", async () => {
    const host = startHost("two", url);
    const { work } = clonedOn(host);
    const here = { cwd: work };
    const pushing = `echo p > p.txt; git add -A; git commit -qm pushed; git push -q origin HEAD:refs/heads/topic; "$0" "$1" capture > /dev/null`;
    await host.refloat(["run", "--", "sh", "-c", pushing, process.execPath, BIN], here);
    const [pushed] = (await host.json(["sessions"], here)).json.sessions;
    expect((await host.json(["show", pushed.id], here)).json.commits).toBeUndefined();
    expect(await keptIn(pushed.id)).toEqual([]);
    const alone = makePlace();
    const local = {
      cwd: work,
      env: {
        GIT_AUTHOR_NAME: "Ann",
        GIT_AUTHOR_EMAIL: "a@b.invalid",
        GIT_COMMITTER_NAME: "Ann",
        GIT_COMMITTER_EMAIL: "a@b.invalid",
      },
    };
    await alone.refloat(["run", "--", "sh", "-c", AGENT, process.execPath, BIN], local);
    const [own] = (await alone.json(["sessions"], local)).json.sessions;
    expect((await alone.json(["show", own.id], local)).json.commits).toBeUndefined();
  }, 300_000);

  it("that are too many bytes are named with the reason, and the capture is taken all the same (T5, W4)", async () => {
    const host = startHost("three", url);
    const { work } = clonedOn(host);
    const here = { cwd: work };
    const large = `head -c 70000000 /dev/urandom > large.bin; git add -A; git commit -qm large; echo small > s.txt; "$0" "$1" capture > /dev/null`;
    await host.refloat(["run", "--", "sh", "-c", large, process.execPath, BIN], here);
    const [session] = (await host.json(["sessions"], here)).json.sessions;
    const { json } = await host.json(["show", session.id], here);
    expect(json.commits).toMatchObject({ commits: 0, left_out: expect.stringMatching(/bytes/) });
    expect((await host.refloat(["show", session.id], here)).stdout).toContain(
      "none kept; later ones are not: they have",
    );
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: work, encoding: "utf8" })).toBe(
      "?? s.txt\n",
    );
  }, 300_000);
});
