/** What has one place in the house is written in no other: a second one drifts, and two faces then say two things (S7). */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

const saying = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe("one place", () => {
  it("opens a workspace, with its trust: nobody else sees another tree than everybody (T2, S7)", () => {
    // The library's own openWorkspace (refloat/workspace) is its way in, and asks for the other like everybody.
    const room = saying(/\bopenWorkspace\(/).filter((path) => path !== "library/workspace.ts");
    expect(saying(/import \{[^}]*\bopenWorkspace\b[^}]*\} from "[^"]*opening\/workspace\.ts"/)).toEqual([
      "workspace/trust/open-trusted.ts",
    ]);
    expect(room).toEqual(["workspace/opening/workspace.ts", "workspace/trust/open-trusted.ts"]);
  });

  it("looks a session up by id, name or beginning, and says what is known of one (DESIGN 10)", () => {
    expect(saying(/\braw\.sessions\(\{ (?:name|prefix: typed)/)).toEqual(["app/sessions/find-session.ts"]);
    expect(saying(/const \[summary\] = .*describe\(\[/)).toEqual(["app/sessions/find-session.ts"]);
  });

  it("says which sessions are a user's: no list has its own idea of refloat's journals", () => {
    const told = saying(/!is(?:Acts|Workflow)Session\(|is(?:Acts|Workflow)Session\(\w+(?:\.id)?\) \|\| is/);
    // Whose capture it is, an act's or a session's, is another question, and the room's own.
    expect(told.filter((path) => !path.startsWith("acts/"))).toEqual(["workflow/own-journal.ts"]);
  });

  it("says how much of an id's beginning is enough", () => {
    expect(saying(/const MIN_PREFIX_CHARS\b/)).toEqual(["text/by-beginning.ts"]);
  });

  it("recovers sessions for every face, and finishes what a dead command began (S5)", () => {
    const above = (paths: readonly string[]): string[] =>
      paths.filter((path) => !/^(?:recover|acts|salvage)\//.test(path));
    // The core's own, which knows no agent's words and no workspace (0026).
    const places = ["app/recovery/recover.ts", "app/store/open-core.ts"];
    expect(above(saying(/\brecover(?:Workspace|One|Sessions)\(/))).toEqual(places);
    expect(above(saying(/\bfinish(?:Plans|Recreation)\(/))).toEqual(["app/acts/finish-open.ts"]);
  });
});
