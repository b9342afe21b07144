/** The state file as a user and an agent have it: every command, in text and JSON, with its exit code. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { SAMPLES, sample } from "../workflow/samples.ts";

const STATE = "00-session-state.json";
const read = (place: Place, name = STATE): string => readFileSync(join(place.workspace, name), "utf8");
const state = (place: Place) => JSON.parse(read(place));
const findings = async (place: Place): Promise<string[]> =>
  (await place.json(["state", "validate"])).json.findings.map((f: { rule: string; path: string }) =>
    `${f.rule} ${f.path}`.trim(),
  );

describe("init and step", () => {
  it("write files without findings, the handoff with every change, and every field the template has", async () => {
    const place = makePlace();
    expect((await place.json(["state", "init", "--project", "demo"])).json).toMatchObject({
      schema: "refloat.state-init/1",
    });
    expect((await place.json(["state", "init"])).json.code).toBe("E_EXISTS");
    for (const args of [
      ["step", "start", "1", "--context", "00-session-state.json"],
      ["step", "sub", "1", "phase_1_discovery"],
      ["decide", "iac_tool", "Bicep", "--reason", "known"],
      ["step", "done", "1"],
      ["step", "skip", "2", "--reason", "small"],
    ]) {
      const { code, json } = await place.json(args);
      expect([code, json.schema?.startsWith("refloat.")], JSON.stringify(json)).toEqual([0, true]);
      expect(await findings(place), args.join(" ")).toEqual([]);
      expect(read(place, "00-handoff.md")).toContain(`Updated: ${state(place).updated}`);
    }
    expect(state(place)).toMatchObject({
      iac_tool: "Bicep",
      current_step: 2,
      $schema: "urn:refloat:session-state:2.0",
    });
    expect((await place.json(["decisions"])).json.decisions).toMatchObject([
      { key: "iac_tool", step: "1" },
      { key: "step_2", value: "skipped" },
    ]);
    expect((await place.refloat(["decide", "iac_tool"])).stdout).toBe("Bicep\n");
    expect((await place.json(["step", "done", "1"])).json.code).toBe("E_STEP");
    expect((await place.json(["decide", "complexity", "huge"])).json.code).toBe("E_STATE_INVALID");
    expect((await place.json(["step", "start", "9"])).code).toBe(64);
    // DESIGN 10: N [NAME] for each of them. A name that is another step's is noted, and the number counts.
    const named = await place.json(["step", "start", "3", "design"]);
    expect(named).toMatchObject({ code: 0, json: { step: "3", name: "Design" } });
    expect(named.json.warnings.join()).not.toContain("is called");
    const other = await place.json(["step", "done", "3", "Deploy"]);
    expect(other).toMatchObject({ code: 0, json: { step: "3" } });
    expect(other.json.warnings).toContain("step 3 is called Design, not Deploy");
  });

  it("one step has one owner: another is refused with exit 4, also by a token that is over, and takes over by order (K1, K4, K5)", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const a = await place.json(["step", "start", "1", "--owner", "a"]);
    const refused = await place.json(["step", "start", "1", "--owner", "b"]);
    expect([refused.code, refused.json.code]).toEqual([4, "E_STEP_HELD"]);
    const name = /claim break (\S+)/.exec(refused.json.hint)?.[1] ?? "";
    const status = await place.json(["claim", "status"]);
    expect(status.json).toMatchObject({
      scope: "this machine",
      claims: [{ name, held: true, owner: { label: "a" } }],
    });
    const broken = await place.json(["claim", "break", name, "--reason", "a is gone", "--yes"]);
    expect([broken.code, broken.json.done]).toEqual([0, true]);
    expect(state(place).steps["1"].claim).toMatchObject({
      owner_id: null,
      event_log: [{ type: "takeover", previous_owner: "a", reason: "a is gone" }],
    });
    const b = await place.json(["step", "start", "1", "--owner", "b"]);
    expect(b.json.attempt).toBeGreaterThan(a.json.attempt);
    expect(b.json.token > a.json.token).toBe(true);
    expect(state(place).steps["1"].claim.retry_count).toBe(1);
    expect((await place.json(["step", "done", "1", "--owner", "a"])).json.code).toBe("E_STEP_HELD");
    const fenced = await place.json(["step", "done", "1", "--owner", "b", "--token", a.json.token]);
    expect([fenced.code, fenced.json.code]).toEqual([4, "E_STEP_FENCED"]);
    expect((await place.json(["step", "done", "1", "--owner", "b", "--token", b.json.token])).code).toBe(0);
    expect(await findings(place)).toEqual([]);
  });

  it("a claim of a session lives as long as the session does: its next attempt takes over (K5)", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "s1", agent: "t", workspace: place.workspace });
      const mark = (attempt: number) => ({ REFLOAT_SESSION: `s1.${attempt}.x` });
      expect((await place.json(["step", "start", "1"], { env: mark(1) })).code).toBe(0);
      expect((await place.json(["step", "start", "1", "--owner", "b"])).json.code).toBe("E_STEP_HELD");
      await session.finish();
      const taken = await place.json(["step", "start", "1", "--owner", "b"]);
      expect(taken.json).toMatchObject({ from: "s1.1", attempt: 2 });
      expect(state(place).steps["1"].claim.event_log).toMatchObject([
        { type: "stale_recovery", previous_owner: "s1.1" },
      ]);
      expect((await place.json(["step", "done", "1"], { env: mark(1) })).code).toBe(4);
    });
  });

  it("claim keep renews by a timer and ends with exit 4 when the claim is gone", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    expect((await place.json(["claim", "keep", "1", "--owner", "a"])).json.code).toBe("E_STEP_FENCED");
    await place.refloat(["step", "start", "1", "--owner", "a"]);
    const before = readdirSync(place.workspace).filter((name) => name.includes(".bak"));
    const keeper = place.start(["claim", "keep", "1", "--owner", "a", "--every", "1"]);
    const ended = new Promise<number | null>((resolve) => keeper.once("close", resolve));
    await new Promise((resolve) => keeper.stderr?.once("data", resolve));
    expect(readdirSync(place.workspace).filter((name) => name.includes(".bak"))).toEqual(before);
    const name = (await place.json(["claim", "status"])).json.claims[0].name;
    await place.refloat(["claim", "break", name, "--reason", "test", "--yes"]);
    expect(await ended).toBe(4);
  });
});

describe("a file edited elsewhere", () => {
  it("is taken in without noise, keeps its own bytes, and is never overwritten blindly", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const edited = read(place)
      .replace('"region": ""', '"region":   "by hand"')
      .replace('"branch"', '"mine": [1,2],\n  "branch"');
    writeFileSync(join(place.workspace, STATE), edited);
    expect((await place.refloat(["step", "start", "1"])).code).toBe(0);
    expect(read(place)).toContain('"region":   "by hand"');
    expect(read(place)).toContain('"mine": [1,2],');
    writeFileSync(join(place.workspace, STATE), read(place).replace('"in_progress"', '"blocked"'));
    const broken = read(place);
    const { code, json } = await place.json(["step", "done", "1"]);
    expect([code, json.code]).toEqual([5, "E_STATE_DAMAGED"]);
    expect(read(place)).toBe(broken);
  });

  it("by a stranger with a fresh heartbeat is honoured, with a stale one is not (K3)", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const lockedAt = (heartbeat: string): void => {
      const lock = { owner_id: "stranger", heartbeat, attempt_token: null, acquired: heartbeat };
      writeFileSync(join(place.workspace, STATE), JSON.stringify({ ...state(place), lock }, null, 2));
    };
    lockedAt(new Date().toISOString());
    expect((await place.json(["step", "start", "1"])).json.code).toBe("E_STEP_HELD");
    lockedAt("2020-01-01T00:00:00Z");
    expect((await place.json(["step", "start", "1"])).code).toBe(0);
  });

  it("that is a symbolic link is refused and its target left alone (W3)", async () => {
    const place = makePlace();
    const target = join(place.home, "target.json");
    writeFileSync(target, sample("v1.0-my").text);
    symlinkSync(target, join(place.workspace, STATE));
    const refused = (await place.json(["step", "start", "3"])).json;
    expect(refused.code).toBe("E_STATE_DAMAGED");
    expect(readFileSync(target, "utf8")).toBe(sample("v1.0-my").text);
    // The way out is named, by everybody who meets it, and it is one (T6).
    const command = /`(cp [^`]+)`/.exec(refused.hint)?.[1] ?? "";
    expect((await place.json(["state", "repair", STATE])).json.hint).toBe(refused.hint);
    const [found] = (await place.json(["state", "validate"])).json.findings;
    expect(found).toMatchObject({ rule: "unreadable", command });
    const doctor = await place.json(["doctor", "--fix"]);
    expect(doctor.json.fixed.map(({ message }: { message: string }) => message).join()).toContain(
      "left as it is",
    );
    execFileSync("sh", ["-c", command]);
    expect((await place.json(["step", "start", "3"])).code).toBe(0);
    expect(readFileSync(target, "utf8")).toBe(sample("v1.0-my").text);
  });
});

describe("every real sample", () => {
  it("is validated, exported, upgraded to 2.0 and 3.0 and back, used, and repaired", async () => {
    const place = makePlace();
    for (const { text } of SAMPLES) {
      writeFileSync(join(place.workspace, STATE), text);
      const before = await findings(place);
      expect((await place.json(["state", "export"])).json.states[0].state.schema_version).toBe("2.0");
      for (const to of ["3.0", "2.0"]) {
        expect((await place.json(["state", "upgrade", "--to", to])).code).toBe(0);
        const added = (await findings(place)).filter((one) => !before.includes(one.replace("3_5", "3.5")));
        expect(added).toEqual([]);
      }
      expect((await place.json(["state", "upgrade"])).json.files[0].changed).toBe(false);
      expect((await place.json(["state", "repair"])).code).toBe(0);
      expect((await findings(place)).filter((one) => !before.includes(one))).toEqual([]);
    }
  }, 300_000);

  it("of version 1.0 becomes 2.0 when it is used, with the old one in .bak", async () => {
    const place = makePlace();
    writeFileSync(join(place.workspace, STATE), sample("v1.0-my").text);
    expect((await place.json(["step", "start", "2"])).json.resume).toMatchObject({
      kind: "after",
      subStep: "phase_4_challenger",
    });
    expect(state(place).schema_version).toBe("2.0");
    expect(read(place, `${STATE}.bak`)).toBe(sample("v1.0-my").text);
  });
});

describe("repair", () => {
  /** A state file with step 1 complete, edited by hand. */
  const edited = async (edit: (doc: JsonObject, text: string) => string) => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const path = join(place.workspace, "00-session-state.json");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, edit(JSON.parse(text), text));
    const repair = (...args: string[]) => place.json(["state", "repair", ...args]);
    return { place, path, repair, read: (): JsonObject => JSON.parse(readFileSync(path, "utf8")) };
  };
  const withStatuses = (doc: JsonObject, first: string, second: string): string => {
    doc.steps["1"].status = first;
    doc.steps["2"].status = second;
    return JSON.stringify(doc, null, 2);
  };

  it("names every field it changes, from and to; progress edited by hand stays, in the words people use for it (T1)", async () => {
    const { path, repair, read } = await edited((doc) => withStatuses(doc, "done", "in progress"));
    const before = readFileSync(path, "utf8");
    const { json: dry } = await repair("--dry-run");
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(dry).toMatchObject({ dry_run: true, files: [{ changed: true, kept: null, put_back: null }] });
    const { json } = await repair();
    expect(read().steps["1"].status).toBe("complete");
    expect(read().steps["2"].status).toBe("in_progress");
    expect(json.files[0].changes).toEqual(
      expect.arrayContaining([
        { path: "steps.1.status", from: "done", to: "complete" },
        { path: "steps.2.status", from: "in progress", to: "in_progress" },
      ]),
    );
    // `updated` has seconds: it is among them when one has passed since the file was written.
    const pathsIn = ({ files }: JsonObject): string[] =>
      files[0].changes.map((one: { path: string }) => one.path).filter((at: string) => at !== "updated");
    expect(pathsIn(json)).toEqual(pathsIn(dry));
    // Nothing else is another than it was.
    const named = new Set<string>([...pathsIn(dry), "updated"]);
    const old = JSON.parse(before);
    for (const key of Object.keys(old))
      if (key !== "steps" && !named.has(key)) expect(read()[key]).toEqual(old[key]);
    execFileSync("sh", ["-c", json.files[0].put_back]);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("shows on the screen what changes and how to put it back; what is set right in a whole file, too (T1)", async () => {
    const { place, path } = await edited((doc) => {
      doc.current_step = 7;
      return JSON.stringify(doc, null, 2);
    });
    const before = readFileSync(path, "utf8");
    const { stdout } = await place.refloat(["state", "repair"]);
    expect(stdout).toMatch(/ {2}current_step: 7 -> \d/);
    const command = /Put it back: (.*)/.exec(stdout)?.[1] ?? "";
    execFileSync("sh", ["-c", command]);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("keeps what stands behind a comma too many or a comment, and the status that is further where two are valid (T1)", async () => {
    const { place, path, read } = await edited((_doc, text) => text);
    await place.refloat(["step", "start", "1"]);
    const claimed = readFileSync(path, "utf8");
    const doc = JSON.parse(claimed) as JsonObject;
    // The file says less than the store knows of step 1, and more of step 2.
    writeFileSync(path, withStatuses(doc, "pending", "complete").replace(/\n\}\s*$/, ",\n  // by hand\n}\n"));
    expect((await place.refloat(["state", "repair"])).code).toBe(0);
    expect([read().steps["1"].status, read().steps["2"].status]).toEqual(["in_progress", "complete"]);
  });

  it("puts both sides of a merge together where one adds to the other, asks for a side where they differ, and loses neither (T1)", async () => {
    const conflict = (ours: string, theirs: string): string =>
      `<<<<<<< HEAD\n${ours}\n=======\n${theirs}\n>>>>>>> feature\n`;
    const sides = (ours: (doc: JsonObject) => void, theirs: (doc: JsonObject) => void) =>
      edited((_doc, text) => {
        const [a, b] = [JSON.parse(text), JSON.parse(text)];
        ours(a);
        theirs(b);
        return conflict(JSON.stringify(a, null, 2), JSON.stringify(b, null, 2));
      });
    const added = await sides(
      (doc) => {
        doc.steps["1"].status = "complete";
      },
      (doc) => {
        doc.steps["1"].status = "in_progress";
        doc.steps["1"].artifacts = ["01-requirements.md"];
      },
    );
    const raw = readFileSync(added.path, "utf8");
    const { code, json } = await added.repair();
    expect(code).toBe(0);
    expect(added.read().steps["1"]).toMatchObject({ status: "complete", artifacts: ["01-requirements.md"] });
    expect(readFileSync(json.files[0].kept, "utf8")).toBe(raw);

    const other = await sides(
      (doc) => {
        doc.region = "here";
      },
      (doc) => {
        doc.region = "there";
      },
    );
    const refused = await other.repair();
    expect([refused.code, refused.json.code]).toEqual([1, "E_STATE_CONFLICT"]);
    expect(refused.json.message).toContain("region");
    const fixed = await other.place.json(["doctor", "--fix"]);
    expect(JSON.stringify(fixed.json)).toContain("--ours");
    expect(readFileSync(other.path, "utf8")).toContain("<<<<<<<");
    expect((await other.repair("--theirs")).code).toBe(0);
    expect(other.read().region).toBe("there");
    expect((await other.repair("--ours")).json.code).toBe("E_USAGE");
  });

  it("a field nested 20,000 deep in a file that is well otherwise is damage, and no defect: the file comes back without it (T5)", async () => {
    const { place, read } = await edited((_doc, text) =>
      text.replace(/\n\}\s*$/, `,\n  "x": ${"[".repeat(20_000)}${"]".repeat(20_000)}\n}\n`),
    );
    expect((await place.json(["step", "start", "1"])).json.code).toBe("E_STATE_DAMAGED");
    expect((await place.refloat(["state", "repair", "--dry-run"])).code).toBe(0);
    expect((await place.json(["state", "repair"])).json.files[0].kept).toContain(".corrupt-");
    expect(read().schema_version).toBe("2.0");
    expect((await place.refloat(["step", "start", "1"])).code).toBe(0);
  });

  it.each(["[", '{"a":', '{"steps":{"1":'])(
    "a file of 20,000 %s is damaged, and no defect (T5)",
    async (open) => {
      const { place, read } = await edited(() => open.repeat(20_000));
      for (const command of [["state", "validate"], ["status"], ["doctor"]]) {
        const { stdout, stderr, signal } = await place.refloat(command);
        expect({ signal, said: (stdout + stderr).includes("defect") }).toEqual({ signal: null, said: false });
      }
      expect((await place.refloat(["state", "repair"])).code).toBe(0);
      expect(read().schema_version).toBe("2.0");
    },
  );

  it.each([
    ["cut off", (text: string) => text.slice(0, 700)],
    ["empty", () => ""],
  ])(
    "brings a %s file back from the store with all progress, and keeps the damaged bytes",
    async (_name, damage) => {
      const place = makePlace();
      await place.refloat(["state", "init"]);
      await place.refloat(["step", "start", "1"]);
      await place.refloat(["decide", "region", "here"]);
      await place.refloat(["step", "done", "1"]);
      const damaged = damage(read(place));
      writeFileSync(join(place.workspace, STATE), damaged);
      expect(await findings(place)).toEqual(["not-json"]);
      const { json } = await place.json(["state", "repair"]);
      expect(json.files[0]).toMatchObject({ from: "store", changed: true });
      expect(readFileSync(json.files[0].kept, "utf8")).toBe(damaged);
      expect(json.files[0].kept).toContain(".corrupt-");
      expect(state(place)).toMatchObject({
        decisions: { region: "here" },
        steps: { 1: { status: "complete" } },
      });
      expect(await findings(place)).toEqual([]);
    },
  );

  it("without a store takes the .bak, and without any copy what handoff and artifacts show: never a silent reset", async () => {
    const place = makePlace();
    writeFileSync(join(place.workspace, STATE), "{");
    writeFileSync(join(place.workspace, `${STATE}.bak`), sample("v1.0-my").text);
    expect((await place.json(["state", "repair"])).json.files[0].from).toBe("backup");
    const other = makePlace();
    writeFileSync(join(other.workspace, STATE), "");
    for (const name of ["01-requirements.md", "02-architecture-assessment.md"])
      writeFileSync(join(other.workspace, name), "x");
    expect((await other.json(["state", "repair"])).json.files[0].from).toBe("rebuilt");
    expect(state(other).steps).toMatchObject({
      1: { status: "complete" },
      2: { status: "in_progress" },
      3: { status: "pending" },
    });
    expect(await findings(other)).toEqual([]);
  });
});

describe("import, formats and configuration", () => {
  it("imports any version and an export, with every decision in the one form", async () => {
    const place = makePlace();
    writeFileSync(join(place.home, "from.json"), sample("apex-7fe25a92").text);
    expect((await place.json(["state", "import", join(place.home, "from.json"), "new"])).json.decisions).toBe(
      12,
    );
    const imported = JSON.parse(readFileSync(join(place.workspace, "new", STATE), "utf8"));
    expect(imported.decision_log[11]).toMatchObject({
      id: "D012",
      step: 3.5,
      key: expect.any(String),
      reason: expect.any(String),
    });
    expect(imported.decision_log[0]).not.toHaveProperty("decision");
    const exported = await place.refloat(["state", "export", "new"]);
    writeFileSync(join(place.home, "export.json"), exported.stdout);
    expect((await place.json(["state", "import", join(place.home, "export.json"), "again"])).code).toBe(0);
  });

  it("validates as text, JSON, GitHub annotations and SARIF, exit 1 for errors only", async () => {
    const place = makePlace();
    writeFileSync(join(place.workspace, STATE), sample("v1.0-my").text.replace('"master"', "7"));
    const text = await place.refloat(["state", "validate"]);
    expect([text.code, text.stdout.includes("bad-value branch")]).toEqual([1, true]);
    const github = await place.refloat(["state", "validate", "--format", "github"]);
    expect(github.stdout).toMatch(/^::error file=.*,line=6,title=bad-value branch::/m);
    const sarif = JSON.parse((await place.refloat(["state", "validate", "--format", "sarif"])).stdout);
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "bad-value", level: "error" });
    const json = JSON.parse((await place.refloat(["state", "validate", "--format", "json"])).stdout);
    expect(json).toMatchObject({ schema: "refloat.state-validate/1", files: 1 });
    expect((await place.json(["state", "validate", "missing.json"])).json.findings[0].rule).toBe(
      "unreadable",
    );
  });

  it("takes another step list from refloat.json, comments and all", async () => {
    const place = makePlace();
    writeFileSync(
      join(place.workspace, "refloat.json"),
      '{ // ours\n "workflow": { "steps": [{ "id": 1, "name": "Plan" }, { "id": "1.5", "name": "Check" }] } }',
    );
    mkdirSync(join(place.workspace, "p"));
    expect((await place.json(["state", "init", "p"])).code).toBe(0);
    expect((await place.json(["step", "start", "1.5", "--file", "p"])).json.name).toBe("Check");
    // The configured list is the validator's, too: its first step is open while a later one is at work.
    expect((await place.json(["state", "validate", "p"])).json.findings).toMatchObject([
      { rule: "gap", path: "steps.1", message: "Step 1 (Plan) is pending, but 1.5 is at work." },
    ]);
    expect(existsSync(join(place.workspace, "p", "00-handoff.md"))).toBe(true);
  });
});
