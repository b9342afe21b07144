/** The user's check as evidence, and what may never become a judge (T2). */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { fingerprint, type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

/** A session that left two files nobody has evidence for: each good alone; together the check says no. */
async function scene(): Promise<{ place: Place; repo: TestRepository }> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("data/base.bin", "0");
  repo.write("check.sh", "#!/bin/sh\ntest $(cat data/*.bin | wc -c) -le 2\n");
  repo.commit();
  await leftSession(place, repo, {
    isTurnOpen: true,
    edits: {
      "data/one.bin": () => repo.write("data/one.bin", "1"),
      "data/two.bin": () => repo.write("data/two.bin", "2"),
      "data/big.bin": () => repo.write("data/big.bin", "123"),
    },
  });
  return { place, repo };
}

const outcomes = (json: JsonObject, field: "outcome" | "alone" = "outcome"): Record<string, string> =>
  Object.fromEntries(
    json.verify.groups.map((one: JsonObject) => [
      json.groups.find(({ id }: JsonObject) => id === one.group).changes[0].path,
      one[field],
    ]),
  );

describe("inspect --verify", () => {
  it("runs on HEAD, with each group and with all that passed; what fails together counts for none, and is told apart from what fails by itself; the tree is untouched (T1)", async () => {
    const { place, repo } = await scene();
    const before = fingerprint(repo.root);
    const { json } = await place.json(["inspect", "--verify", "sh check.sh"]);
    expect(json.verify).toMatchObject({
      command: "sh check.sh",
      head: "passed",
      together: "failed",
      untried: 0,
    });
    expect(outcomes(json)).toEqual({
      "data/one.bin": "failed",
      "data/two.bin": "failed",
      "data/big.bin": "failed",
    });
    // Named are those that pass alone; the third fails by itself.
    const pathOf = (id: string): string =>
      json.groups.find((group: JsonObject) => group.id === id).changes[0].path;
    expect(json.verify.not_together.map(pathOf).sort()).toEqual(["data/one.bin", "data/two.bin"]);
    expect(outcomes(json, "alone")).toEqual({
      "data/one.bin": "passed",
      "data/two.bin": "passed",
      "data/big.bin": "failed",
    });
    const { stdout } = await place.refloat(["inspect", "--verify", "sh check.sh"]);
    expect(stdout).toContain("passes on HEAD, and with 2 groups alone; fails with 1\n");
    expect(stdout).toContain("fails with these together, so none of them counts as checked:\n");
    expect(json.groups.map(({ verdict }: JsonObject) => verdict)).not.toContain("safe");
    const three = await place.json(["inspect", "--verify", "test $(cat data/*.bin | wc -c) -le 3"]);
    expect(three.json.verify).toMatchObject({ head: "passed", together: "passed", not_together: [] });
    expect(outcomes(three.json)).toEqual({
      "data/one.bin": "passed",
      "data/two.bin": "passed",
      "data/big.bin": "failed",
    });
    expect(fingerprint(repo.root)).toBe(before);
    expect(readdirSync(join(place.home, "scratch"))).toEqual([]);
  });

  it("shows what the check said of the group it fails with, without its secrets (T1, T4)", async () => {
    const { place } = await scene();
    const secret = `ghp_${"Ab1".repeat(12)}`;
    const check = `test $(cat data/*.bin | wc -c) -le 3 || { echo "too large, ${secret} it is"; exit 1; }`;
    const { json } = await place.json(["inspect"]);
    const big = json.groups.find(({ changes }: JsonObject) => changes[0].path === "data/big.bin").id;
    const { stdout } = await place.refloat(["inspect", "--verify", check]);
    expect(stdout.split("Check: ")[1]).toContain(`\n  ${big}: too large, `);
    expect(stdout.split(`${big}: too large`)[1]).not.toContain(secret);
  });

  it.each([
    ["cannot be started any more", "data/one.bin", "ls data | grep -q one && exit 127; true"],
    [
      "says more than a check may",
      "data/one.bin",
      "ls data | grep -q one && head -c 20000000 /dev/zero; true",
    ],
  ])(
    "says no where it %s with a group: the agent's word does not stand then (T2)",
    async (_, path, check) => {
      const { place } = await scene();
      const { json } = await place.json(["inspect", "--verify", check]);
      expect(json.verify).toMatchObject({ head: "passed", together: "passed", untried: 0 });
      expect(outcomes(json)[path]).toBe("failed");
      const group = json.groups.find(({ changes }: JsonObject) => changes[0].path === path);
      expect(group.verdict).not.toBe("safe");
      expect(group.reasons.map(({ rule }: JsonObject) => rule)).toContain("check-failed");
    },
  );

  it("is no evidence when HEAD itself fails, and is not run for a process of the session (T2)", async () => {
    const { place } = await scene();
    const { json } = await place.json(["inspect", "--verify", "false"]);
    expect(json.verify).toMatchObject({ head: "failed", groups: [], together: null, untried: 3 });
    const env = { REFLOAT_SESSION: "left-session.1.abc" };
    const marked = await place.json(["inspect", "--verify", "touch ran"], { env });
    expect(marked).toMatchObject({ code: 1, json: { code: "E_UNDER_MARK" } });
  });

  it("does not run a check that only the config names, committed or not, until the user typed the same text", async () => {
    const { place, repo } = await scene();
    const ran = join(place.home, "ran");
    repo.write("refloat.json", JSON.stringify({ verify: `touch ${ran}` }));
    expect((await place.json(["inspect"])).json.verify).toBeUndefined();
    repo.git("add", "refloat.json");
    repo.git("commit", "-q", "-m", "config", "refloat.json");
    expect((await place.json(["inspect"])).json.verify).toBeUndefined();
    expect(existsSync(ran)).toBe(false);
  });
});

describe("a check that only the user's configuration names", () => {
  it("is not run, and how to trust it is said; once typed, the same text runs by itself (T2)", async () => {
    const { place } = await scene();
    const settings = join(place.home, "settings");
    mkdirSync(join(settings, "refloat"), { recursive: true });
    const ran = join(place.home, "ran");
    const check = `touch ${ran}`;
    writeFileSync(join(settings, "refloat/config.json"), JSON.stringify({ verify: check }));
    const env = { XDG_CONFIG_HOME: settings };
    const told = await place.refloat(["inspect"], { env });
    expect(told.stderr).toContain(`refloat inspect --verify '${check}'`);
    expect(existsSync(ran)).toBe(false);
    await place.json(["inspect", "--verify", check], { env });
    rmSync(ran);
    const { json } = await place.json(["inspect"], { env });
    expect(json.verify).toMatchObject({ command: check });
    expect(existsSync(ran)).toBe(true);
  });
});

describe("judge and settle under a mark (T2)", () => {
  it("lets a process of the session plan, and neither settle, commit, park nor judge", async () => {
    const { place, repo } = await scene();
    const before = fingerprint(repo.root);
    const env = { ...ANN, REFLOAT_SESSION: "left-session.1.abc" };
    const { json } = await place.json(["settle", "--dry-run"], { env });
    expect(json.plan.acts).toHaveLength(3);
    const { id } = (await place.json(["inspect"], { env })).json.groups[0];
    for (const args of [
      ["settle", "--yes"],
      ["commit", "--all", "--yes"],
      ["park", "--all", "--yes"],
      ["judge", id, "safe", "--reason", "trust me"],
    ])
      expect(await place.json(args, { env }), args.join(" ")).toMatchObject({
        code: 1,
        json: { code: "E_UNDER_MARK" },
      });
    expect(fingerprint(repo.root)).toBe(before);
  });

  it("remembers the user's verdict per content: another byte, and the rules judge again", async () => {
    const { place, repo } = await scene();
    const verdictAt = async (path: string): Promise<string> => {
      const { json } = await place.json(["inspect"]);
      return json.groups.find(({ changes }: JsonObject) => changes[0].path === path).verdict;
    };
    const { json } = await place.json(["inspect"]);
    const { id } = json.groups.find(({ changes }: JsonObject) => changes[0].path === "data/one.bin");
    expect((await place.json(["judge", id, "safe", "--reason", "I read it"])).json).toMatchObject({
      verdict: "safe",
    });
    expect(await verdictAt("data/one.bin")).toBe("safe");
    repo.write("data/one.bin", "X");
    expect(await verdictAt("data/one.bin")).not.toBe("safe");
  });
});

describe("last-good", () => {
  it("finds the newest capture that passes, and says which one does not any more", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("n", "0\n");
    repo.commit();
    const ids = await place.withStore(async (store) => {
      const session = await store.begin({ id: "steps", agent: "t", workspace: repo.root });
      const found: string[] = [];
      for (let n = 1; n <= 6; n++) {
        repo.write("n", `${n}\n`);
        found.push((await session.capture(`step ${n}`)).id);
      }
      await session.finish();
      return found;
    });
    const before = fingerprint(repo.root);
    const { code, json } = await place.json(["last-good", "--verify", "test $(cat n) -le 4"]);
    expect({ code, json }).toMatchObject({ code: 0, json: { capture: ids[3], bad: ids[4] } });
    expect((await place.json(["last-good", "--verify", "false"])).code).toBe(1);
    expect(fingerprint(repo.root)).toBe(before);
  });
});
