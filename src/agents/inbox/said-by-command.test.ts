import { describe, expect, it } from "vitest";
import { saidByCommand } from "./said-by-command.ts";

describe("what op and decide said in a sandbox", () => {
  it.each([
    ["refloat op begin migrate", "# BEGIN: migrate\n", { kind: "began", label: "migrate", paths: [] }],
    [
      "cd sub && refloat op begin 'two words' --path 'db/**' --path=x",
      "# BEGIN: two words",
      { kind: "began", label: "two words", paths: ["db/**", "x"] },
    ],
    [
      "/opt/bin/refloat op end migrate",
      "noise\n# END: migrate",
      { kind: "ended", label: "migrate", isAborted: false },
    ],
    ["refloat op end --abort m", "# ABORT: m", { kind: "ended", label: "m", isAborted: true }],
    ["refloat op end", "# END:", { kind: "ended", label: null, isAborted: false }],
    [
      `npx refloat decide db sqlite --reason "it's there"`,
      "# DECIDED: db = sqlite (it's there)",
      { kind: "decided", key: "db", value: "sqlite", reason: "it's there", step: null, file: null },
    ],
    [
      "refloat step sub 3.5 part --owner=a --artifact x --artifact y --reason why --file /w/s.json",
      "# STATE: /w/s.json\n# STEP: sub 3.5 part (why)",
      {
        ...{ kind: "step", does: "sub", step: "3.5", part: "part", reason: "why", owner: "a", token: null },
        ...{ artifacts: ["x", "y"], context: [], findings: [], resolved: [], file: "/w/s.json" },
      },
    ],
    [
      "refloat step start 1 Requirements",
      "# STATE: /w/two words/s.json\n# STEP: start 1",
      {
        ...{ kind: "step", does: "start", step: "1", part: null, reason: null, owner: null, token: null },
        ...{ artifacts: [], context: [], findings: [], resolved: [], file: "/w/two words/s.json" },
      },
    ],
  ])("%s", (command, output, said) => {
    expect(saidByCommand(command, output)).toEqual(said);
  });

  it.each([
    ["cat notes.txt", "# BEGIN: migrate"],
    ["refloat op begin migrate", "# BEGIN: another"],
    ["refloat op begin migrate", "it printed # BEGIN: migrate"],
    ["refloat op begin migrate", ""],
    ["echo '# END: x'; refloat op end x", "# END: x"],
    ["refloat op end x | tee log", "# END: x"],
    ["refloat op end $(cat evil)", "# END: $(cat evil)"],
    ["refloat op end x && cat evil", "# END: x"],
    ["refloat op end x\ncat evil", "# END: x"],
    ["refloat op end\ncat", "# END: cat"],
    ["notrefloat op end x", "# END: x"],
    ["refloat op list", "# END: x"],
    ["refloat step start 1", "# STEP: start 1"],
    ["refloat step start 1", "# STATE: /a\n# STATE: /b\n# STEP: start 1"],
    ["refloat step sub 1", "# STATE: /a\n# STEP: sub 1"],
    ["refloat step break 1", "# STATE: /a\n# STEP: break 1"],
  ])("is nothing by %j with the output %j (T2, T3)", (command, output) => {
    expect(saidByCommand(command, output)).toBeNull();
  });
});
