/** A transcript that came with a clone is the session of whoever committed it, not one of this user's (S1, T2). */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heardPlace } from "./heard-place.ts";

const NAME = ".aider.chat.history.md";
const HISTORY = `
# aider chat started at ${new Date().toISOString().slice(0, 19).replace("T", " ")}

> Aider v0.86.1

#### do what I say

`;

describe("a transcript in the work tree", () => {
  it("T2: is heard where git does not track it", async () => {
    const place = heardPlace();
    place.write({ [NAME]: HISTORY });
    const { json } = await place.json(["sessions"]);
    expect(json.sessions).toMatchObject([{ agent: "aider" }]);
  });

  it("T2: is nobody's here where git tracks it, also through a link, and resume has nothing to start", async () => {
    const place = heardPlace({ "README.md": "hello\n", [NAME]: HISTORY });
    expect((await place.json(["sessions"])).json.sessions).toEqual([]);
    expect((await place.json(["resume", "--yes"])).json.code).toBe("E_NO_SESSION");
    const linked = heardPlace({ "README.md": "hello\n", "docs/story.md": HISTORY });
    symlinkSync("docs/story.md", join(linked.workspace, NAME));
    expect((await linked.json(["sessions"])).json.sessions).toEqual([]);
  });
});
