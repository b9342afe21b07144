/** A message in the user's editor: whose editor, what is kept of the text, and nothing left behind. */
import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { editorOf, editText, messageIn } from "./edit-text.ts";

describe("an edited message", () => {
  it("is asked of the editor git would take first", () => {
    const all = { GIT_EDITOR: "a", VISUAL: "b", EDITOR: "c" };
    expect(editorOf(all)).toBe("a");
    expect(editorOf({ ...all, GIT_EDITOR: "" })).toBe("b");
    expect(editorOf({ EDITOR: "c" })).toBe("c");
    expect(editorOf({})).toBe("vi");
  });

  it("has no comments and no empty lines around it; lines inside stay", () => {
    expect(messageIn("\n# help\nTitle  \n\nBody # not a comment\n  kept\n# more\n\n")).toBe(
      "Title\n\nBody # not a comment\n  kept",
    );
    expect(messageIn("# only\n\n  \n")).toBe("");
  });

  it("is what the editor wrote; one that fails or empties it changes nothing, and no file is left", async () => {
    // A place of its own: others edit at the same time.
    const folder = temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const by = (editor: string): ReturnType<typeof editText> => editText("Old\n", { GIT_EDITOR: editor });
    expect(await by("true")).toEqual({ kind: "edited", text: "Old\n" });
    expect(await by("sed -i s/Old/New/")).toEqual({ kind: "edited", text: "New\n" });
    expect(await by("truncate -s 0")).toEqual({ kind: "empty" });
    expect(await by("false")).toEqual({ kind: "failed", why: "the editor exited with 1" });
    expect(await by("no-such-editor-anywhere")).toMatchObject({ kind: "failed" });
    expect(await by("kill -9 $$;")).toEqual({ kind: "failed", why: "the editor died by SIGKILL" });
    expect(readdirSync(folder)).toEqual([]);
  });
});
