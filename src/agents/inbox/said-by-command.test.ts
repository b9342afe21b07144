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
      { kind: "decided", key: "db", value: "sqlite", reason: "it's there", step: null },
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
  ])("is nothing by %j with the output %j (T2, T3)", (command, output) => {
    expect(saidByCommand(command, output)).toBeNull();
  });
});
