/** DESIGN 10, the config: each key has an effect, the same wherever a session is judged, and only as committed (T2). */
import { describe, expect, it } from "vitest";
import { type Printed, stranger } from "./stranger.ts";

const CONFIG = `{
  // JSONC: comments and a comma at the end are fine
  "journal": ["notes/*.md"],
  "config": ["special.txt"],
  "rules": [{ "paths": ["danger/**"], "verdict": "risky", "reason": "hands off" }],
  "limits": { "file_bytes": 1000 },
  "ignore": ["made/**"],
  "precious": ["*.key"],
}
`;

const WORK = [
  "echo more >> notes/n.md",
  "echo more >> special.txt",
  "echo more >> danger/d.md",
  "mkdir made && echo x > made/x.txt",
  "echo k > my.key",
  'i=0; while [ $i -lt 100 ]; do echo "a line of a large file"; i=$((i+1)); done > large.txt',
].join("; ");

describe("refloat.json as committed", () => {
  it("judges the same in inspect, in the handoff and in what a loop commits, and never by uncommitted bytes", () => {
    const me = stranger();
    me.write("refloat.json", CONFIG);
    me.write(".gitignore", "*.key\n");
    for (const path of ["notes/n.md", "special.txt", "danger/d.md"]) me.write(path, "begun\n");
    me.git("add", "-A");
    me.git("commit", "-q", "-m", "configured");
    expect(me.refloat(["loop", "--max", "1", "--settle", "default", "--", "sh", "-c", WORK]).code).toBe(0);
    // The loop committed what is safe by the rules, parked what they call risky, and left the rest alone.
    expect(me.git("show", "--format=", "--name-only", "HEAD")).not.toMatch(/danger|special|made/);
    expect(me.git("show", "--format=", "--name-only", "HEAD")).toContain("notes/n.md");
    const parked = me.json(["parked"]).json.parked as Printed[];
    expect(parked.flatMap(({ paths }) => paths.map(({ path }: Printed) => path)).sort()).toEqual([
      "danger/d.md",
      "special.txt",
    ]);
    expect(me.json(["undo", "--yes"]).code).toBe(0);
    // Uncommitted bytes change nothing.
    me.write("refloat.json", '{ "ignore": ["**"] }\n');
    const { groups, gaps } = me.json(["inspect"]).json;
    me.write("refloat.json", CONFIG);
    const verdicts = Object.fromEntries(
      groups.map(({ verdict, changes }: Printed) => [changes[0].path, verdict]),
    );
    expect(verdicts).toMatchObject({ "danger/d.md": "risky", "special.txt": "risky", "notes/n.md": "safe" });
    expect(Object.keys(verdicts)).toContain("my.key");
    expect(Object.keys(verdicts).join(" ")).not.toContain("made/");
    expect(gaps.map(({ path }: Printed) => path)).toEqual(["large.txt"]);
    const brief = me.json(["handoff"]).json;
    const told = Object.fromEntries(brief.groups.map(({ verdict, paths }: Printed) => [paths[0], verdict]));
    expect(told).toMatchObject({ "danger/d.md": "risky", "special.txt": "risky", "notes/n.md": "safe" });
    expect(JSON.stringify(brief.groups)).not.toContain("made/");
  });

  it("that does not fit is E_BAD_CONFIG with line and column, and a session whose changes are all ignored is settled", () => {
    const me = stranger();
    me.write("refloat.json", '{ "ignore": ["made/**"] }\n');
    me.git("add", "-A");
    me.git("commit", "-q", "-m", "configured");
    expect(me.refloat(["run", "--", "sh", "-c", "mkdir made; echo x > made/x.txt"]).code).toBe(0);
    expect(me.json(["sessions"]).json.sessions[0].unsettled).toBe(false);
    me.write("refloat.json", '{\n  "policy": "hope"\n}\n');
    me.git("commit", "-q", "-am", "broken");
    const { code, json } = me.json(["loop", "--max", "1", "--", "true"]);
    expect([code, json.code]).toEqual([125, "E_BAD_CONFIG"]);
    expect(json.message).toMatch(/line 2, column \d+/);
  });

  it("with a key that means nothing is used for the rest, and status, inspect, settle, loop and capture name the key once, on stderr (T1)", () => {
    const me = stranger();
    me.write("refloat.json", '{\n  "presious": ["*.env"], "ignore": ["made/**"]\n}\n');
    me.git("add", "-A");
    me.git("commit", "-q", "-m", "configured");
    for (const name of ["a", "b"])
      expect(
        me.refloat(["run", "--", "sh", "-c", `mkdir -p made; date > made/x; echo x > ${name}.md`]).code,
      ).toBe(0);
    for (const args of [
      ["status"],
      ["inspect"],
      ["settle", "--dry-run"],
      ["loop", "--max", "1", "--", "true"],
      ["capture"],
    ]) {
      const { code, stdout, stderr } = me.refloat(args);
      expect(code, args.join(" ")).toBe(0);
      expect(stdout, args.join(" ")).not.toContain("presious");
      const said = stderr.split("\n").filter((line) => line.includes("presious"));
      expect(said, args.join(" ")).toEqual([
        expect.stringMatching(/^refloat\.json at [0-9a-f]{12}, line 2, column 3: presious .* precious\?$/),
      ]);
    }
    expect(me.refloat(["inspect", "--quiet"]).stderr).not.toContain("presious");
    const { groups } = me.json(["inspect"]).json;
    expect(JSON.stringify(groups)).not.toContain("made/");
  });
});
