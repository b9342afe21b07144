/** The origin's decisions and its log, as its page writes them: what is decided, kept, read by others, and cannot be taken out. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";

const STATE = "00-session-state.json";
const EXAMPLE = { iac_tool: "bicep", primary_region: "swedencentral", complexity: "standard" };
const ENTRY = {
  step: 1,
  key: "iac_tool",
  value: "bicep",
  reason: "Team preference and existing Bicep expertise",
};

const path = (place: Place): string => join(place.workspace, STATE);
const read = (place: Place): JsonObject => JSON.parse(readFileSync(path(place), "utf8"));
const edit = (place: Place, change: (doc: JsonObject) => void): void => {
  const doc = read(place);
  change(doc);
  writeFileSync(path(place), `${JSON.stringify(doc, null, 2)}\n`);
};
const findings = async (place: Place): Promise<string[]> =>
  (await place.json(["state", "validate"])).json.findings.map((one: { rule: string; path: string }) =>
    `${one.rule} ${one.path}`.trim(),
  );

describe("the origin's own examples", () => {
  it("origin 003.33: `decide iac_tool bicep` and the other two of its example are decided as typed, and leave no finding", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    for (const [key, value] of Object.entries(EXAMPLE)) {
      const { code, json } = await place.json(["decide", key, value, "--step", "1", "--reason", "r"]);
      expect([code, json.value], JSON.stringify(json)).toEqual([0, value]);
    }
    const doc = read(place);
    expect(doc.decisions).toMatchObject(EXAMPLE);
    // The top of the file knows both, in the one spelling that other tools' validators take.
    expect([doc.iac_tool, doc.region]).toEqual(["Bicep", "swedencentral"]);
    expect(await findings(place)).toEqual([]);
    expect((await place.json(["decide", "iac_tool", "TERRAFORM"])).code).toBe(0);
    expect(read(place).iac_tool).toBe("Terraform");
    // What is no tool of the list is refused, and nothing is changed (T1).
    expect((await place.json(["decide", "iac_tool", "make"])).json.code).toBe("E_STATE_INVALID");
    expect(read(place).decisions.iac_tool).toBe("TERRAFORM");
  });

  it("origin 003.33, 003.36: a file written by hand with its decisions, its log entry and its names of steps has no finding, and is used as it is", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const { $schema: _, ...doc } = read(place);
    const byHand = makePlace();
    const written = {
      ...doc,
      iac_tool: "bicep",
      lock: {},
      decisions: EXAMPLE,
      decision_log: [ENTRY],
    } as JsonObject;
    written.steps["4"].name = "Plan";
    written.steps["5"].name = "Code";
    delete written.steps["3.5"];
    writeFileSync(path(byHand), JSON.stringify(written, null, 2));
    writeFileSync(
      join(byHand.workspace, "00-handoff.md"),
      readFileSync(join(place.workspace, "00-handoff.md")),
    );
    expect(await findings(byHand)).toEqual([]);
    expect((await byHand.json(["step", "start", "1"])).code).toBe(0);
    // What was there stays as it was written (D5); the log is added to.
    expect(read(byHand)).toMatchObject({ iac_tool: "bicep", decisions: EXAMPLE, decision_log: [ENTRY] });
    expect((await byHand.json(["decide", "complexity", "simple", "--reason", "r"])).code).toBe(0);
    expect(read(byHand).decision_log).toMatchObject([ENTRY, { id: "D002", key: "complexity" }]);
    expect(await findings(byHand)).toEqual([]);
  });

  it("origin 003.33: decisions that a config names are needed in every file, those of the original list only once they are made", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    edit(place, (doc) => {
      doc.decisions = {};
    });
    expect(await findings(place)).toEqual([]);
    writeFileSync(join(place.workspace, "refloat.json"), '{"workflow": {"decisions": ["owner"]}}');
    expect(await findings(place)).toEqual(["missing-field decisions.owner"]);
  });
});

describe("state import", () => {
  it("takes refloat's own export while a claim is held: the copy is sound, its steps are free, and who held them is on record (K5)", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const { token } = (await place.json(["step", "start", "1", "--owner", "ann"])).json;
    for (const to of ["2.0", "3.0"]) {
      const exported = await place.refloat(["state", "export", "--to", to]);
      const { states, redacted } = JSON.parse(exported.stdout);
      expect(redacted).toBe(false);
      // The token is a number of the file's own, no secret in it.
      if (to === "2.0") expect(states[0].state.lock.attempt_token).toBe(token);
      writeFileSync(join(place.home, "export.json"), exported.stdout);
      for (const into of ["2.0", "3.0"]) {
        const folder = join(place.workspace, `from-${to}-to-${into}`);
        const { code, json } = await place.json([
          ...["state", "import", join(place.home, "export.json"), folder],
          ...["--to", into],
        ]);
        expect([code, json.freed], JSON.stringify(json)).toEqual([0, [{ step: "1", owner: "ann" }]]);
        expect((await place.json(["state", "validate", folder])).json.findings).toEqual([]);
        expect((await place.json(["step", "start", "1", "--owner", "bob", "--file", folder])).code).toBe(0);
      }
      const copy = JSON.parse(readFileSync(join(place.workspace, `from-${to}-to-2.0`, STATE), "utf8"));
      expect(copy.steps["1"].claim.event_log).toMatchObject([{ type: "release", outcome: "import" }]);
    }
    // The other file's claim is as it was.
    expect(read(place).steps["1"].claim).toMatchObject({ owner_id: "ann", attempt_token: token });
  });

  it("takes a state file with a claim as it lies there, and an export in which a token was taken out for a secret", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    await place.refloat(["step", "start", "1", "--owner", "ann"]);
    mkdirSync(join(place.workspace, "b"));
    expect((await place.json(["state", "import", STATE, "b"])).code).toBe(0);
    const doc = read(place);
    doc.lock.attempt_token = doc.steps["1"].claim.attempt_token = "[token removed]";
    writeFileSync(join(place.home, "old-export.json"), JSON.stringify({ states: [{ state: doc }] }));
    expect((await place.json(["state", "import", join(place.home, "old-export.json"), "c"])).code).toBe(0);
    expect(existsSync(join(place.workspace, "c", STATE))).toBe(true);
    expect((await place.json(["state", "validate", "b", "c"])).json.findings).toEqual([]);
  });
});
