/** Every check of the doctor has a place that is broken so that it fires, and a sound one in which none does. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHECKS } from "../../src/doctor/checks.ts";
import { BIN, cutOffSession, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { BREAK, type Looking, setUp, smallDiskFindings, sound, stateFile } from "./doctor-fixtures.ts";

interface Found {
  readonly check: string;
  readonly severity: string;
  readonly command: string;
}

const look = async (place: Place, { args = [], ...how }: Looking = {}) => {
  const { code, json } = await place.json(["doctor", "--exit-code", ...args], how);
  return { code, findings: json.findings as Found[], json };
};

/** What their commands ask for is not here: another Node, another disk, another machine. */
const NOT_HERE: ReadonlySet<string> = new Set([
  "node-version",
  "git-version",
  "perl-missing",
  "store-file-system",
  "store-version",
  "store-open",
  "disk-space",
  // Its command takes the place away that is looked at: pasted in a test of its own.
  "workspace-moved",
  // Setting agents up writes into a home of theirs: shown where init is.
  "recorder-missing",
  "recorder-old",
  "hooks-dead",
  "hooks-missing",
  "agent-unknown",
  "agent-newer",
  // The key is the user's.
  "contents-locked",
  "contents-sealed",
  // Taken in by whoever opens the store next.
  "inbox-full",
]);

/** As a person pastes it, with the program on the path; who would be asked at a terminal says yes. */
function paste(place: Place, command: string, { cwd, env, args = [] }: Looking): void {
  const folder = temporaryFolder();
  symlinkSync(BIN, join(folder, "refloat"));
  const yes = / claim break | --accept-loss| --salvage/.test(command) ? " --yes" : "";
  const store = command.startsWith("refloat ") ? args.map((arg) => ` ${arg}`).join("") : "";
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command + store + yes], {
    cwd: cwd ?? place.workspace,
    encoding: "utf8",
    env: {
      PATH: `${folder}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: place.home,
      REFLOAT_HOME: place.home,
      ...env,
    },
  });
  expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
}

describe("the doctor", () => {
  it("finds nothing in a sound place, nor where nothing is at all, and changes nothing", async () => {
    const place = await sound();
    const before = readFileSync(stateFile(place), "utf8");
    expect((await place.json(["doctor", "--exit-code"])).json).toEqual({
      schema: "refloat.doctor/1",
      findings: [],
      fixed: [],
    });
    expect(readFileSync(stateFile(place), "utf8")).toBe(before);
    expect((await look(makePlace())).findings).toEqual([]);
  });

  it.each(Object.entries(BREAK).filter(([check]) => check !== "disk-space"))(
    "%s is found where it is so, not before, and its command does away with it",
    async (check, breakIt) => {
      const place = await sound();
      expect((await look(place)).findings).toEqual([]);
      const looking = ((await breakIt(place)) ?? {}) as Looking;
      const { code, findings, json } = await look(place, looking);
      const found = findings.filter((one) => one.check === check);
      expect(found.length, JSON.stringify(json)).toBeGreaterThan(0);
      const isInfo = findings.every(({ severity }) => severity === "info");
      expect(code).toBe(isInfo ? 0 : 3);
      for (const { command, severity } of found) {
        expect(command).not.toMatch(/\b(ID|FILE|SESSION)\b/);
        expect(severity).toBe(CHECKS.find(({ id }) => id === check)?.severity);
        if (!NOT_HERE.has(check)) paste(place, command, looking);
      }
      if (NOT_HERE.has(check)) return;
      const left = (await look(place, looking)).findings.filter((one) => one.check === check);
      expect(left).toEqual([]);
    },
  );

  it("disk-space is found on a disk with little room, and not on one with enough", () => {
    expect(smallDiskFindings("64m")).toMatchObject([{ check: "disk-space", command: "refloat store gc" }]);
    expect(smallDiskFindings("2g")).toEqual([]);
  });

  it("workspace-moved: in the new place what is parked is in reach (W8), and the doctor's command puts everything where it was", async () => {
    const place = await sound();
    const { cwd = "" } = (await BREAK["workspace-moved"](place)) as Looking;
    const parked = async (at: string): Promise<number> =>
      (await place.json(["parked"], { cwd: at })).json.parked.length;
    expect(await parked(cwd)).toBe(1);
    const [found] = (await look(place, { cwd })).findings;
    paste(place, found?.command ?? "", {});
    expect(await parked(/ (\S+)$/.exec(found?.command ?? "")?.[1] ?? "")).toBe(1);
  });

  it("git-version is found where no git is on the path, with the way this system installs one", async () => {
    const place = await sound();
    const { findings } = await look(place, { env: { PATH: place.home } });
    expect(findings).toMatchObject([{ check: "git-version", command: expect.stringContaining("git") }]);
  });

  it("hooks-dead names the agent, when it ran and the command; a record that came in time, in the inbox or taken in, speaks against it", async () => {
    const place = await sound();
    await BREAK["hooks-dead"](place);
    const dead = async (): Promise<JsonObject[]> =>
      (await place.json(["doctor"])).json.findings.filter(({ check }: JsonObject) => check === "hooks-dead");
    expect(await dead()).toMatchObject([
      {
        message: expect.stringMatching(
          /^Codex ran at \d\d:\d\d on [-\d]+, no record came: hooks are dead\.$/,
        ),
        command: "refloat init --agent codex",
      },
    ]);
    mkdirSync(join(place.home, "inbox"));
    const event = join(place.home, "inbox/00000000-0000000001-1.hook");
    writeFileSync(event, "refloat-hook 1\nagent codex\nevent Stop\nbody\n{}\nend refloat-hook\n");
    expect(await dead()).toEqual([]);
    const old = new Date(Date.now() - 30 * 60_000);
    utimesSync(event, old, old);
    expect(await dead()).toMatchObject([{ message: expect.stringContaining("no record came since ") }]);
  });

  it("inbox-full still says what was dropped when the inbox was taken in, until somebody has read it (D6)", async () => {
    const place = await sound();
    mkdirSync(join(place.home, "inbox"));
    writeFileSync(join(place.home, "inbox/dropped"), "...");
    const event = "refloat-hook 1\nagent codex\nevent Stop\nbody\n{}\nend refloat-hook\n";
    writeFileSync(join(place.home, "inbox/00000000-0000000001-1.hook"), event);
    await place.refloat(["status"]);
    const { findings } = (await place.json(["doctor"])).json;
    expect(findings).toMatchObject([
      { check: "inbox-full", message: expect.stringContaining("at least 3 events of hooks were dropped.") },
    ]);
    execFileSync("sh", ["-c", findings[0].command]);
    expect((await place.json(["doctor"])).json.findings).toEqual([]);
  });

  it("of an agent whose hooks never fire it expects no record, set up or not", async () => {
    const place = await sound();
    setUp(place, "continue", 60 * 60_000);
    mkdirSync(join(place.home, ".continue/sessions"), { recursive: true });
    const session = { sessionId: "s", title: "t", workspaceDirectory: place.workspace, history: [] };
    writeFileSync(join(place.home, ".continue/sessions/s.json"), JSON.stringify(session));
    const { findings } = (await place.json(["doctor"])).json;
    expect(findings.filter(({ check }: JsonObject) => check.startsWith("hooks-"))).toEqual([]);
  });

  it("what init did is known by its notes, and one that is damaged costs itself (D6)", async () => {
    const place = await sound();
    await BREAK["hooks-dead"](place);
    writeFileSync(join(place.home, "install", `${"1".repeat(64)}.json`), "{ torn");
    const { findings } = (await place.json(["doctor"])).json;
    expect(findings.map(({ check }: JsonObject) => check)).toContain("hooks-dead");
  });

  it("hooks-missing says a command that can be pasted, after which the agent's files call the recorder (T6)", async () => {
    const place = await sound();
    await BREAK["hooks-missing"](place);
    const missing = async (): Promise<JsonObject[]> =>
      (await place.json(["doctor"])).json.findings.filter(
        ({ check }: JsonObject) => check === "hooks-missing",
      );
    const [found] = await missing();
    const [program, ...words] = String(found?.command).split(" ");
    expect(program).toBe("refloat");
    expect((await place.refloat([...words, "--yes"])).code).toBe(0);
    expect(readFileSync(join(place.home, ".codex/hooks.json"), "utf8")).toContain("refloat-hook");
    expect(await missing()).toEqual([]);
  });

  it("has a broken place for every row", () => {
    expect(Object.keys(BREAK).toSorted()).toEqual(CHECKS.map(({ id }) => id).toSorted());
  });

  it("--fix settles, finishes, repairs and upgrades what needs no decision, keeps what it replaces, and then finds nothing", async () => {
    const place = await sound();
    await cutOffSession(place, { id: "cut-off" });
    chmodSync(place.store, 0o644);
    const damaged = readFileSync(stateFile(place), "utf8").slice(0, 300);
    writeFileSync(stateFile(place), damaged);
    const { json } = await place.json(["doctor", "--fix"]);
    expect(json.findings).toEqual([]);
    expect(json.fixed.map(({ check }: { check: string }) => check)).toEqual(
      expect.arrayContaining(["store-permissions", "session-interrupted", "state-damaged"]),
    );
    expect(statSync(place.store).mode & 0o777).toBe(0o600);
    const kept = json.fixed
      .map(
        ({ message }: { message: string }) => /damaged one is ([^\s;,]+?)[.;,]?(?:\s|$)/.exec(message)?.[1],
      )
      .find(Boolean);
    expect(readFileSync(kept, "utf8")).toBe(damaged);
    expect((await place.refloat(["doctor"])).stdout).toContain("Sound.");
  });
});
