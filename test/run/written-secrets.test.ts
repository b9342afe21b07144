/** What `run` and `loop` write where the user says: without secrets unless --raw (T4), and for nobody else to read. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const random = (chars: number, of: string): string =>
  createHash("sha512").update(of).digest("base64").replace(/[+/=]/g, "x").slice(0, chars);
/** What must not be found, and the line an agent prints it in. Put together here, so that no scanner takes this for a leak. */
const SAID: readonly (readonly [secret: string, line: string])[] = [
  [`ghp_${random(36, "github")}`, "remote: ◆"],
  ["hunter2-of-alice", "curl -u alice:◆ https://host"],
  [random(24, "vercel"), "vercel_token ◆"],
  [`MTE${random(23, "bot")}.Gx${random(4, "time")}.${random(38, "rest")}`, "login with ◆"],
  [createHash("sha512").update("pem").digest("base64").slice(0, 64), "◆"],
];
const SECRETS = SAID.map(([secret]) => secret);

/** An agent that says all of them, commits nothing and ends. */
function agent(place: Place): string[] {
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.commit();
  const script = join(temporaryFolder(), "agent.sh");
  const said = SAID.map(([secret, line]) => `printf '%s\\n' '${line.replace("◆", secret)}'`).join("\n");
  writeFileSync(script, `#!/bin/sh\n${said}\necho two > a.txt\n`, { mode: 0o755 });
  return [script, "--token", SECRETS[0] ?? ""];
}

const secretsIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("what is written for the user", () => {
  it("T4: the report of `run` has no secret of what the agent printed or was started with, and mode 0600, over an older file, too", async () => {
    const place = makePlace();
    const report = join(temporaryFolder(), "report.json");
    writeFileSync(report, "{}", { mode: 0o644 });
    const command = agent(place);
    const ran = await place.refloat(["run", "--report", report, "--", ...command]);
    expect([ran.code, secretsIn(ran.stdout)], "the agent's own output goes through as it comes").toEqual([
      0,
      SECRETS,
    ]);
    const text = readFileSync(report, "utf8");
    expect(secretsIn(text)).toEqual([]);
    expect(modeOf(report)).toBe(0o600);
    const json = JSON.parse(text);
    expect(json.last_output).toContain("remote: [redacted: github]");
    expect(json.command).toEqual([command[0], "--token", "[redacted: github]"]);
    await place.refloat(["run", "--raw", "--report", report, "--", ...command]);
    const raw = readFileSync(report, "utf8");
    expect(secretsIn(raw)).toEqual(SECRETS);
    expect(modeOf(report)).toBe(0o600);
  });

  it("T4: nor has one that says why nothing was started", async () => {
    const place = makePlace();
    const report = join(temporaryFolder(), "report.json");
    const ran = await place.refloat(["run", "--report", report, "--", `/no/such/${SECRETS[0]}`]);
    expect(ran.code).toBe(127);
    expect(secretsIn(readFileSync(report, "utf8"))).toEqual([]);
    expect(modeOf(report)).toBe(0o600);
  });

  it("T4: the same of a loop's report, a bundle, an export and the brief", async () => {
    const place = makePlace();
    const [report, bundle] = [join(temporaryFolder(), "report.json"), join(temporaryFolder(), "bundle")];
    const command = agent(place);
    const flags = ["--max", "1", "--report", report, "--bundle", bundle];
    expect((await place.refloat(["loop", ...flags, "--", ...command])).code).toBe(0);
    const exported = join(temporaryFolder(), "all.jsonl");
    expect((await place.refloat(["store", "export", "--output", exported])).code).toBe(0);
    const files = [report, exported, ...readdirSync(bundle).map((name) => join(bundle, name))];
    for (const file of files) {
      expect([file, secretsIn(readFileSync(file, "latin1"))]).toEqual([file, []]);
      expect([file, modeOf(file)]).toEqual([file, 0o600]);
    }
    for (const args of [
      ["handoff"],
      ["show"],
      ["sessions"],
      ["status"],
      ["inspect"],
      ["log"],
      ["claim", "status"],
    ])
      for (const more of [[], ["--json"]]) {
        const { stdout, stderr } = await place.refloat([...args, ...more]);
        expect([args.join(" "), secretsIn(stdout + stderr)]).toEqual([args.join(" "), []]);
      }
  });
});
