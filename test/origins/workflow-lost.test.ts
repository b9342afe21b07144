/**
 * What the fourth origin asks where the state file is gone, damaged or was never there: "file will be created automatically",
 * "check for a backup", "restore it", "rename the corrupt file and restart". By the built program, on both stores.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { startServer } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres-server.ts";

const LONG = { timeout: 10 * 60_000 };
const STATE = "00-session-state.json";
const HANDOFF = "00-handoff.md";
const RING = [".bak", ".bak.1", ".bak.2"].map((suffix) => STATE + suffix);
/** The last one is what only a store can bring back. */
const GONE = [[STATE], [STATE, ...RING], [STATE, ...RING, HANDOFF]];

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
/** Where a project that is well under way is put back for each test, and what it is put back from. */
const kept = mkdtempSync(join(tmpdir(), "refloat-test-"));
afterAll(async () => {
  rmSync(kept, { recursive: true });
  await server.stop();
});
const STORES = ["sqlite", "postgres"] as const;

interface Project {
  readonly place: Place;
  readonly folder: string;
  readonly file: string;
  run(...args: string[]): Promise<{ code: number | null; json: JsonObject }>;
  state(): JsonObject;
  read(name: string): string;
  remove(...names: string[]): void;
}

/** A folder with nothing in it. */
function project(kind: (typeof STORES)[number] = "sqlite", place = makePlace()): Project {
  const env: Record<string, string> = kind === "postgres" ? { REFLOAT_STORE: server.url } : {};
  const folder = place.workspace;
  const file = join(folder, STATE);
  return {
    place,
    folder,
    file,
    run: (...args) => place.json(args, { env }),
    state: () => JSON.parse(readFileSync(file, "utf8")) as JsonObject,
    read: (name) => readFileSync(join(folder, name), "utf8"),
    remove: (...names) => {
      for (const name of names) rmSync(join(folder, name), { recursive: true });
    },
  };
}

/** Step 1 done, 3 skipped, 2 at work behind a checkpoint, three decisions, a finding. With a store of its own it is made once, and is there again in its first bytes for whoever asks. */
async function wellUnderWay(kind: (typeof STORES)[number] = "sqlite"): Promise<Project> {
  if (kind === "postgres") return underWay(project(kind));
  const [now, first] = [join(kept, "now"), join(kept, "first")];
  const folders = { home: join(now, "home"), workspace: join(now, "workspace") };
  const made = project(kind, makePlace(folders));
  rmSync(now, { recursive: true, force: true });
  if (existsSync(first)) {
    cpSync(first, now, { recursive: true, preserveTimestamps: true });
    return made;
  }
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  await underWay(made);
  cpSync(now, first, { recursive: true, preserveTimestamps: true });
  return made;
}

async function underWay(made: Project): Promise<Project> {
  for (const name of ["01-requirements.md", "01-notes.md", "02-waf.md"])
    writeFileSync(join(made.folder, name), "x\n");
  for (const args of [
    ["step", "start", "1"],
    ["decide", "region", "north", "--reason", "near"],
    ["decide", "iac_tool", "Bicep", "--reason", "known"],
    ["step", "done", "1", "--artifact", "01-requirements.md", "--artifact", "01-notes.md"],
    ["step", "skip", "3", "--reason", "no diagrams"],
    ["step", "start", "2", "--finding", "costs are open"],
    ["step", "sub", "2", "phase_2_waf", "--artifact", "02-waf.md"],
  ])
    expect((await made.run(...args)).code, args.join(" ")).toBe(0);
  return made;
}

const statusesOf = ({ steps }: JsonObject): string[] =>
  ["1", "2", "3", "4"].map((step) => steps[step].status as string);
const UNDER_WAY = ["complete", "in_progress", "skipped", "pending"];

describe("no state file", LONG, () => {
  it.each(STORES)(
    "origin 003.8: the first step start where nothing ever was creates it, with its handoff; every other command says what makes one (%s)",
    async (kind) => {
      const { run, state, file, read } = project(kind);
      for (const args of [
        ["step", "done", "1"],
        ["step", "sub", "1", "x"],
        ["state", "validate"],
        ["state", "repair"],
      ]) {
        const refused = await run(...args);
        expect([refused.code, refused.json.code]).toEqual([1, "E_NO_STATE"]);
        expect(refused.json.hint).toContain("refloat step start 1");
        expect(existsSync(file)).toBe(false);
      }
      const started = await run("step", "start", "1");
      expect(started).toMatchObject({ code: 0, json: { step: "1", status: "in_progress", created: true } });
      expect(state()).toMatchObject({ schema_version: "2.0", steps: { 1: { status: "in_progress" } } });
      expect(read(HANDOFF)).toContain("- [ ] Step 1: Requirements (in progress)");
      expect((await run("state", "validate")).json.findings).toEqual([]);
      expect((await run("step", "start", "1")).json.created).toBe(false);
    },
  );

  it("is not made a second time below the folder that has one: the command names the one above (T6)", async () => {
    const { place, folder, run } = project();
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, "src"));
    expect((await run("step", "start", "1")).code).toBe(0);
    const below = await place.json(["step", "start", "1"], { cwd: join(folder, "src") });
    expect([below.code, below.json.code]).toEqual([1, "E_NO_STATE"]);
    expect(below.json.hint).toContain(`--file ${join(folder, STATE)}`);
    expect(readdirSync(join(folder, "src"))).toEqual([]);
  });
});

describe("a state file that was deleted", LONG, () => {
  it.each(STORES)(
    "is missed by name: the hint is state repair, which brings back every byte of the newest version; nothing is made in its place (%s)",
    async (kind) => {
      for (const gone of kind === "sqlite" ? GONE : GONE.slice(-1)) {
        const { run, remove, file, state, folder } = await wellUnderWay(kind);
        const before = readFileSync(file, "utf8");
        remove(...gone);
        const left = readdirSync(folder);
        for (const args of [
          ["step", "start", "2"],
          ["step", "done", "2"],
          ["state", "export"],
          ["decide", "x", "y"],
          ["decide", "region"],
          ["decisions"],
        ]) {
          const refused = await run(...args);
          expect([args, refused.code, refused.json.code]).toEqual([args, 1, "E_NO_STATE"]);
          expect(refused.json.hint).toContain(`refloat state repair ${file}`);
        }
        expect(readdirSync(folder)).toEqual(left);
        const back = await run("state", "repair");
        expect(back).toMatchObject({ code: 0, json: { files: [{ was_gone: true, from: "store" }] } });
        const { updated: _then, ...was } = JSON.parse(before) as JsonObject;
        const { updated: _now, ...is } = state();
        expect(is).toEqual(was);
        expect((await run("state", "validate")).json.findings).toEqual([]);
        expect((await run("step", "start", "2")).json.resume).toMatchObject({
          kind: "after",
          subStep: "phase_2_waf",
        });
      }
    },
  );

  it("with its whole folder is known by the store: state repair without a name finds it", async () => {
    const { folder, run } = project();
    expect((await run("state", "init", "agent-output/app")).code).toBe(0);
    expect((await run("step", "start", "1")).code).toBe(0);
    rmSync(join(folder, "agent-output"), { recursive: true });
    expect((await run("step", "start", "1")).json.hint).toContain("refloat state repair");
    expect((await run("state", "repair")).code).toBe(0);
    const back = JSON.parse(readFileSync(join(folder, "agent-output/app", STATE), "utf8")) as JsonObject;
    expect(back.steps["1"].status).toBe("in_progress");
  });

  it.each(STORES)(
    "with its whole folder, beside another project, is named by validate and doctor, and no command without a name acts on the other in its place (%s)",
    async (kind) => {
      const { folder, run } = project(kind);
      for (const name of ["app", "shop"]) {
        expect((await run("state", "init", `agent-output/${name}`)).code).toBe(0);
        expect((await run("step", "start", "1", "--file", `agent-output/${name}`)).code).toBe(0);
      }
      const [gone, other] = ["app", "shop"].map((name) => join(folder, "agent-output", name, STATE));
      const before = readFileSync(other as string, "utf8");
      rmSync(join(folder, "agent-output/app"), { recursive: true });
      for (const args of [
        ["step", "done", "1"],
        ["step", "start", "1"],
        ["decide", "x", "y"],
        ["decisions"],
      ]) {
        const refused = await run(...args);
        expect([args, refused.json.code]).toEqual([args, "E_USAGE"]);
        expect(refused.json.message).toContain(gone);
      }
      expect(readFileSync(other as string, "utf8")).toBe(before);
      const validated = await run("state", "validate");
      expect(validated.json.findings).toMatchObject([{ rule: "unreadable", file: gone }]);
      const doctor = (await run("doctor")).json.findings;
      expect(doctor.filter(({ check }: JsonObject) => check === "state-damaged")).toHaveLength(1);
      // Both gone: neither is guessed at, and a decision does not land where nobody looks for it.
      rmSync(join(folder, "agent-output"), { recursive: true });
      for (const args of [
        ["step", "start", "1"],
        ["decide", "x", "y"],
      ]) {
        const refused = await run(...args);
        expect([args, refused.json.code]).toEqual([args, "E_NO_STATE"]);
        expect(refused.json.message).toContain(`${gone}, ${other}`);
      }
      // What was removed for good is forgotten by the command that the finding names.
      const { message } = (await run("state", "validate")).json.findings[0];
      const id = /refloat forget (\S+)/.exec(message)?.[1] ?? "";
      expect((await run("forget", id, "--reason", "done", "--yes")).code).toBe(0);
      expect((await run("state", "repair")).json.files).toMatchObject([{ was_gone: true }]);
      expect([gone, other].map((one) => existsSync(one as string))).toEqual([false, true]);
      expect((await run("step", "done", "1")).code).toBe(0);
    },
  );

  it("under another name is not gone: a folder that was renamed goes on as the one project", async () => {
    const { folder, run } = project();
    expect((await run("state", "init", "agent-output/app")).code).toBe(0);
    expect((await run("step", "start", "1")).code).toBe(0);
    renameSync(join(folder, "agent-output/app"), join(folder, "agent-output/shop"));
    expect((await run("decide", "x", "y")).code).toBe(0);
    expect((await run("decide", "x")).json.value).toBe("y");
    expect((await run("state", "validate")).json.files).toBe(1);
  });

  it("is a finding of validate and doctor while something of it is left beside", async () => {
    const { run, remove } = await wellUnderWay();
    remove(STATE);
    const { code, json } = await run("state", "validate");
    expect([code, json.findings.map(({ rule }: JsonObject) => rule)]).toEqual([1, ["unreadable"]]);
    expect(json.findings[0].message).toContain("It is gone; left of it");
    const found = (await run("doctor")).json.findings.filter(
      ({ check }: JsonObject) => check === "state-damaged",
    );
    expect(found).toMatchObject([{ command: expect.stringContaining("refloat state repair") }]);
  });

  it.each(STORES)(
    "is not replaced by state init unless told, and then nothing that is left goes: ring, versions and handoff (%s)",
    async (kind) => {
      const { run, remove, file, state, read, folder } = await wellUnderWay(kind);
      writeFileSync(join(folder, HANDOFF), `${read(HANDOFF)}\n## By hand\n\nAsk Bea.\n`);
      const [handoff, backup] = [read(HANDOFF), read(`${STATE}.bak`)];
      remove(STATE);
      const refused = await run("state", "init");
      expect([refused.code, refused.json.code]).toEqual([1, "E_STATE_HISTORY"]);
      expect(refused.json.hint).toContain(`refloat state repair ${file}`);
      expect(refused.json.hint).toContain(`refloat state init --fresh ${file}`);
      expect([existsSync(file), read(HANDOFF)]).toEqual([false, handoff]);
      // A state from elsewhere is a new one, too.
      const given = join(folder, `${STATE}.bak`);
      const imported = await run("state", "import", given);
      expect([imported.code, imported.json.code]).toEqual([1, "E_STATE_HISTORY"]);
      expect(imported.json.hint).toContain(`refloat state import --fresh ${given} ${file}`);
      expect([existsSync(file), read(HANDOFF)]).toEqual([false, handoff]);
      const taken = await run("state", "import", given, "--fresh");
      expect([taken.code, readFileSync(taken.json.kept_handoff, "utf8")]).toEqual([0, handoff]);
      remove(STATE);
      writeFileSync(join(folder, HANDOFF), handoff);
      rmSync(taken.json.kept_handoff);
      const fresh = await run("state", "init", "--fresh");
      expect(fresh.code).toBe(0);
      expect(statusesOf(state())).toEqual(["pending", "pending", "pending", "pending"]);
      expect(readFileSync(fresh.json.kept_handoff, "utf8")).toBe(handoff);
      expect(read(`${STATE}.bak`)).toBe(backup);
    },
  );
});

describe("a corrupted state file", LONG, () => {
  it("origin 003.9, 003.16: the validator names what is wrong and where, and ends in the command that helps", async () => {
    const { run, file, read } = await wellUnderWay();
    writeFileSync(file, read(STATE).slice(0, 400));
    const { code, json } = await run("state", "validate");
    expect([code, json.findings[0].rule, json.findings[0].command]).toEqual([
      1,
      "not-json",
      `refloat state repair ${file}`,
    ]);
  });

  it("origin 003.17: there is a backup, three of them, the newest first", async () => {
    const { read } = await wellUnderWay();
    const updated = RING.map((name) => (JSON.parse(read(name)) as JsonObject).steps["2"].status);
    expect(updated[0]).toBe("in_progress");
    expect(RING.map((name) => JSON.parse(read(name)).schema_version)).toEqual(["2.0", "2.0", "2.0"]);
  });

  it("origin 003.18: cp of the backup restores it: taken in as an edit, and the work goes on from there", async () => {
    const { run, file, folder, state } = await wellUnderWay();
    writeFileSync(file, "{");
    copyFileSync(join(folder, `${STATE}.bak`), file);
    expect((await run("state", "validate")).code).toBe(0);
    expect((await run("step", "start", "2")).code).toBe(0);
    expect(statusesOf(state())).toEqual(UNDER_WAY);
  });

  it("origin 003.18: what was decided since that backup stands among the decisions and at the top again, by the next command", async () => {
    const { run, folder, state } = await wellUnderWay();
    for (const [key, value] of [
      ["iac_tool", "terraform"],
      ["region", "south"],
      ["branch", "feature/x"],
    ] as const)
      await run("decide", key, value, "--reason", "r");
    const decided = state();
    expect(decided).toMatchObject({ iac_tool: "Terraform", region: "south", branch: "feature/x" });
    copyFileSync(join(folder, `${STATE}.bak.2`), join(folder, STATE));
    expect((await run("step", "sub", "2", "phase_3_cost")).code).toBe(0);
    const { iac_tool, region, branch, decisions } = decided;
    expect(state()).toMatchObject({ iac_tool, region, branch, decisions });
  });

  it("origin 003.19: renamed to .corrupt it is brought back with its progress, not begun anew; the renamed one stays", async () => {
    const { run, file, folder, state, read } = await wellUnderWay();
    writeFileSync(file, read(STATE).slice(0, 900));
    renameSync(file, `${file}.corrupt`);
    const damaged = read(`${STATE}.corrupt`);
    const refused = await run("step", "start", "2");
    expect([refused.json.code, refused.json.hint.includes("state repair")]).toEqual(["E_NO_STATE", true]);
    expect((await run("state", "repair")).code).toBe(0);
    expect(statusesOf(state())).toEqual(UNDER_WAY);
    expect(read(`${STATE}.corrupt`)).toBe(damaged);
    expect(existsSync(join(folder, `${STATE}.bak`))).toBe(true);
  });
});

describe("a state of which no copy is left", LONG, () => {
  /** Another home: a store that never heard of it. */
  const elsewhere = (made: Project): ((...args: string[]) => ReturnType<Place["json"]>) => {
    const other = makePlace();
    return (...args) => other.json(args, { cwd: made.folder });
  };

  it.each(["damaged", "gone"])(
    "origin 003.20: rebuilt from the handoff it keeps decisions, IaC, branch, checkpoint, skipped steps, artifacts and findings, and the old handoff beside it (%s)",
    async (how) => {
      const made = await wellUnderWay();
      const { state, file, read, remove, folder } = made;
      const before = state();
      writeFileSync(join(folder, HANDOFF), read(HANDOFF).replace("Branch: main", "Branch: feature/x"));
      const handoff = read(HANDOFF);
      remove(...RING);
      if (how === "gone") remove(STATE);
      else writeFileSync(file, "not json");
      const run = elsewhere(made);
      const repaired = await run("state", "repair", STATE);
      expect(repaired).toMatchObject({ code: 0, json: { files: [{ from: "rebuilt" }] } });
      const after = state();
      expect(statusesOf(after)).toEqual(UNDER_WAY);
      expect(after.project).toBe(before.project);
      expect([after.iac_tool, after.branch, after.region]).toEqual(["Bicep", "feature/x", "north"]);
      expect(after.decisions).toEqual(before.decisions);
      expect(after.steps["2"]).toMatchObject({ sub_step: "phase_2_waf", artifacts: ["02-waf.md"] });
      expect(after.steps["1"].artifacts).toEqual(["01-requirements.md", "01-notes.md"]);
      expect(after.open_findings).toEqual(["costs are open"]);
      // What only the log had is there again, with where it comes from.
      expect(after.decision_log.map(({ key, step }: JsonObject) => [key, step])).toEqual([["step_3", 3]]);
      const kept = repaired.json.files[0].kept_handoff;
      expect(readFileSync(kept, "utf8")).toBe(handoff);
      const linesOf = (text: string): string[] =>
        text
          .replace(/^Updated: [^|]*/m, "")
          .split("\n")
          .sort();
      expect(linesOf(read(HANDOFF))).toEqual(linesOf(handoff));
      expect((await run("step", "start", "2")).json.resume).toMatchObject({
        kind: "after",
        subStep: "phase_2_waf",
      });
    },
  );

  it("origin 003.20: a file written by hand has what its decisions say at its top after the repair, and the repair says what it came from (T1)", async () => {
    const { run, file, state } = project();
    const decisions = { iac_tool: "terraform", region: "north", branch: "feature/x" };
    writeFileSync(file, JSON.stringify({ schema_version: "2.0", decisions }));
    const repaired = await run("state", "repair", STATE);
    expect(repaired.json.files).toMatchObject([{ from: "rebuilt", ground: "what the file still holds" }]);
    expect(state()).toMatchObject({ iac_tool: "Terraform", region: "north", branch: "feature/x", decisions });
    expect((await run("state", "validate")).json.findings).toEqual([]);
  });

  it("origin 003.20: so has one of which a handoff that somebody wrote is left", async () => {
    const { run, folder, state } = project();
    const lines = [
      "# p (Step 1 complete)",
      "## Key Decisions",
      "- iac_tool: bicep",
      "- primary_region: north",
    ];
    writeFileSync(join(folder, HANDOFF), `${lines.join("\n")}\n`);
    const repaired = await run("state", "repair", STATE);
    expect(repaired.json.files).toMatchObject([{ from: "rebuilt", ground: `what ${HANDOFF} shows` }]);
    expect(state()).toMatchObject({ iac_tool: "Bicep", region: "north" });
  });

  it("does not call a step that the handoff knows as complete one that was never run, where its files are elsewhere (T1)", async () => {
    const made = await wellUnderWay();
    const { remove, state } = made;
    remove(STATE, ...RING, "01-requirements.md", "01-notes.md");
    const run = elsewhere(made);
    expect((await run("state", "repair", STATE)).code).toBe(0);
    expect(statusesOf(state())).toEqual(UNDER_WAY);
    expect(state().decision_log).toMatchObject([
      { key: "step_3" },
      { key: "step_1", value: "complete", reason: expect.stringContaining(HANDOFF) },
    ]);
    const { findings } = (await run("state", "validate", STATE)).json;
    expect(findings.map(({ rule }: JsonObject) => rule)).not.toContain("never-run");
  });

  it("is the origin's fresh start only where it is told: state init --fresh resets every step to pending", async () => {
    const made = await wellUnderWay();
    made.remove(STATE, ...RING);
    const run = elsewhere(made);
    expect((await run("step", "start", "1")).json.code).toBe("E_NO_STATE");
    expect((await run("state", "init", "--fresh")).code).toBe(0);
    expect(statusesOf(made.state())).toEqual(["pending", "pending", "pending", "pending"]);
  });
});

describe("the companion", LONG, () => {
  it("origin 003.7: a missing 00-handoff.md is a finding, and state repair writes it from the state", async () => {
    const { run, remove, read } = await wellUnderWay();
    const handoff = read(HANDOFF);
    remove(HANDOFF);
    const { code, json } = await run("state", "validate");
    expect([code, json.findings.map(({ rule, severity }: JsonObject) => `${severity} ${rule}`)]).toEqual([
      0,
      ["warning no-handoff"],
    ]);
    expect((await run("state", "repair")).code).toBe(0);
    expect(read(HANDOFF)).toBe(handoff);
    expect((await run("state", "validate")).json.findings).toEqual([]);
  });

  it("edited by hand is a version of its own before the next change writes it anew: the store has what people wrote", async () => {
    const { run, read, folder, place } = await wellUnderWay();
    writeFileSync(join(folder, HANDOFF), read(HANDOFF).replace("costs are open", "costs: ask Bea first"));
    expect((await run("step", "done", "2")).code).toBe(0);
    const exported = await place.refloat(["store", "export", "--raw"]);
    expect(exported.stdout).toContain("ask Bea first");
  });
});
