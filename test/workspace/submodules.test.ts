/** A submodule that a session moved or changed: whose it is, what is held of it, and that it is not settled unseen (W4, W5, L6). */
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG = { timeout: 10 * 60_000 };

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  json(...args: string[]): ReturnType<Place["json"]>;
  run(script: string): Promise<void>;
  unsettled(): Promise<boolean[]>;
}

/** `lib` is at the second commit of its repository; the first is there, too. */
function scene(): Scene {
  const place = makePlace();
  const inner = testRepository(temporaryFolder());
  inner.write("x", "1\n");
  inner.commit("one");
  inner.write("x", "2\n");
  inner.commit("two");
  const repo = testRepository(place.workspace);
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "lib");
  repo.commit("base");
  const json = (...args: string[]): ReturnType<Place["json"]> => place.json(args, { env: ANN });
  return {
    place,
    repo,
    json,
    run: async (script) =>
      expect((await place.refloat(["run", "--", "sh", "-c", script])).code, script).toBe(0),
    unsettled: async () =>
      (await json("sessions")).json.sessions.map(({ unsettled }: JsonObject) => unsettled),
  };
}

const changeAt = ({ groups }: JsonObject, path: string): JsonObject =>
  groups.flatMap(({ changes }: JsonObject) => changes).find((change: JsonObject) => change.path === path);

const MOVE = "git -C lib checkout -q HEAD~1";

describe("a submodule that was moved to another commit", LONG, () => {
  it("under `run` is the session's like its other files: risky, left whole by settle with exit 3, and unsettled until somebody commits it (W5, L6)", async () => {
    const { repo, json, run, unsettled } = scene();
    await run(`${MOVE}; echo note > note.md`);
    const { json: inspected } = await json("inspect");
    expect(changeAt(inspected, "lib")).toMatchObject({
      owner: "session",
      owner_evidence: [{ kind: "supervised" }],
      to: { kind: "submodule" },
    });
    const { code, json: settled } = await json("settle", "--policy", "park-all", "--yes");
    expect([code, settled.conflicts]).toEqual([3, [expect.objectContaining({ path: "lib" })]]);
    expect(repo.git("status", "--porcelain").trim()).toBe("M lib");
    expect(await unsettled()).toEqual([true]);
    repo.git("commit", "-q", "-a", "-m", "moved");
    expect(await unsettled()).toEqual([false]);
  });

  it("by a call that names it is the session's, though the capture of what the call names has no place for it (W4)", async () => {
    const { place, repo, json } = scene();
    await leftSession(place, repo, {
      edits: { lib: () => void repo.git("-C", "lib", "checkout", "-q", "HEAD~1") },
    });
    expect(changeAt((await json("inspect")).json, "lib")).toMatchObject({
      owner: "session",
      owner_evidence: [{ kind: "call-names-path" }],
    });
  });

  it("before the session began is not its own", async () => {
    const { repo, json, run } = scene();
    repo.git("-C", "lib", "checkout", "-q", "HEAD~1");
    await run("echo note > note.md");
    expect(changeAt((await json("inspect")).json, "lib")).toMatchObject({ owner: "before" });
  });

  it("is refused by `capture` where it is named, never held as a folder; where it is not, it is a gap (W4)", async () => {
    const { repo, json } = scene();
    expect(await json("capture", "lib")).toMatchObject({ code: 0, json: { held: 0, partial: false } });
    repo.git("-C", "lib", "checkout", "-q", "HEAD~1");
    expect(await json("capture", "lib")).toMatchObject({ code: 1, json: { code: "E_CAPTURE_GAP" } });
    expect(await json("capture")).toMatchObject({
      code: 0,
      json: { partial: true, gaps: [{ path: "lib", reason: "submodule" }] },
    });
  });
});

describe("a submodule in which something was changed", LONG, () => {
  it("keeps the session unsettled until it is as it was, though git does not look into it for us (L6, W4)", async () => {
    const { repo, json, run, unsettled } = scene();
    await run("echo 3 > lib/x");
    expect(await unsettled()).toEqual([true]);
    const { gaps, groups } = (await json("inspect")).json;
    expect([gaps, groups]).toEqual([
      [{ path: "lib", why: "1 changed path inside a submodule is not held" }],
      [],
    ]);
    repo.write("lib/x", "2\n");
    expect(await unsettled()).toEqual([false]);
  });
});
