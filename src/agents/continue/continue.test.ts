/** Continue's documents and command lines: what is whole of a torn document is heard, and nothing else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { HeardFold } from "../transcript/fold-heard.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { continueLaunch } from "./launch.ts";
import { continueTranscript } from "./transcript.ts";

const CLEAN = readFileSync(
  join(
    import.meta.dirname,
    "../../../test/agents/transcripts/continue/clean/.continue/sessions/a595ed95-2c86-431b-a84e-510770ee90dd.json",
  ),
  "utf8",
);

const document = (...history: JsonObject[]): string =>
  JSON.stringify({ sessionId: "s1", title: "t", workspaceDirectory: "/r", history });
const state = (
  id: string,
  status: string,
  name: string,
  parsedArgs: JsonObject,
  content = "",
): JsonObject => ({
  toolCallId: id,
  toolCall: { id, function: { name, arguments: JSON.stringify(parsedArgs) } },
  status,
  parsedArgs,
  output: content === "" ? [] : [{ content }],
});
const asks = (...toolCallStates: JsonObject[]): JsonObject => ({
  message: { role: "assistant", content: "" },
  toolCallStates,
});
function folded(text: string): HeardFold {
  const fold = new HeardFold();
  for (const one of continueTranscript.read(text)) fold.hear(one);
  return fold;
}

describe("a document of Continue's", () => {
  it("cut off at any byte is heard up to its last whole item, and is said to be torn", () => {
    const whole = continueTranscript.read(CLEAN);
    // The turn's end is only inferred where the last item is there.
    const told = (all: readonly Heard[]): string[] =>
      all.filter(({ kind }) => kind !== "session").map((one) => JSON.stringify(one));
    let most = 0;
    for (let end = 0; end < CLEAN.trimEnd().length; end += 7) {
      const torn = CLEAN.slice(0, end);
      const some = told(continueTranscript.read(torn));
      expect(continueTranscript.isTorn?.(torn)).toBe(true);
      expect(told(whole).slice(0, some.length)).toEqual(some);
      most = Math.max(most, some.length);
    }
    expect(most).toBe(told(whole).length);
    expect(continueTranscript.isTorn?.(CLEAN)).toBe(false);
  });

  it("L7: has no end record: an answer is the end of a turn only by inference", () => {
    expect(folded(CLEAN).status(false)).toBe("dirty-idle");
  });

  it("K2: a call that ran, and one that waited for leave, are told apart; both are open", () => {
    const text = document(
      asks(
        state("a", "calling", "Bash", { command: "x" }),
        state("b", "generated", "Write", { filepath: "f", content: "c" }),
      ),
    );
    expect(folded(text).calls(false)).toEqual([
      { id: "a", tool: "Bash", status: "interrupted" },
      { id: "b", tool: "Write", status: "requested" },
    ]);
  });

  it("knows the file a read showed, the edits and the list", () => {
    const all = continueTranscript.read(
      document(
        asks(
          state("a", "done", "Read", { filepath: "./f" }, "Content of f:\nline\n"),
          state(
            "b",
            "errored",
            "Edit",
            { file_path: "f", old_string: "a", new_string: "b", replace_all: true },
            "no",
          ),
          state("c", "done", "Checklist", { checklist: "# Work\n- [x] one\n- [ ] two" }),
        ),
      ),
    );
    expect(all.flatMap((one) => (one.kind === "result" ? one.edits : []))).toEqual([
      { kind: "read", path: "./f", text: "line\n", isWhole: true, fromLine: 1 },
    ]);
    expect(all.flatMap((one) => (one.kind === "call" ? one.edits : []))).toEqual([
      { kind: "replace", path: "f", old: "a", new: "b", everywhere: true },
    ]);
    expect(all.find(({ kind }) => kind === "plan")).toMatchObject({
      items: [
        { text: "one", state: "done" },
        { text: "two", state: "open" },
      ],
    });
  });

  it("T3: whose brief stands before a prompt is told apart, and wrong types are nothing", () => {
    const said = continueTranscript.read(
      document({ message: { role: "user", content: briefBefore("b", GO_ON) } }),
    );
    expect(said.flatMap((one) => (one.kind === "message" ? [one.from] : []))).toEqual(["machinery"]);
    const odd = {
      message: { role: { toString: 1 }, content: 7, toolCalls: "x" },
      toolCallStates: [7, { output: {} }],
    };
    expect(() => continueTranscript.read(document(odd as unknown as JsonObject))).not.toThrow();
    expect(continueTranscript.read('{"sessionId":7,"history":{}}')).toEqual([]);
    expect(continueTranscript.recognizes("[]")).toBe(false);
  });
});

describe("Continue's command lines", () => {
  const ID = "a595ed95-2c86-431b-a84e-510770ee90dd";
  it("S7: goes on as a fork by id, with the user's flags, without the old prompt", () => {
    const command = ["node", "/x/@continuedev/cli/dist/cn.js", "-p", "do it", "--config", "c.yaml", "--auto"];
    expect(continueLaunch.resume(ID, command, "b")?.command).toEqual([
      ...["node", "/x/@continuedev/cli/dist/cn.js", "-p", "--config", "c.yaml", "--auto"],
      ...["--fork", ID, briefBefore("b", GO_ON)],
    ]);
    expect(continueLaunch.resume(ID, ["cn", "--resume", "--prompt", "more"], "b")?.command).toEqual([
      ...["cn", "--fork", ID, briefBefore("b", GO_ON)],
    ]);
    expect(continueLaunch.resume("--auto", ["cn", "do it"], "b")).toBeNull();
    expect(continueLaunch.resume(ID, ["cn", "ls"], "b")).toBeNull();
  });
  it("starts anew with the brief before the prompt, where there is one", () => {
    expect(continueLaunch.startWith(["cn", "--rule", "r", "do it"], "b")?.command).toEqual([
      ...["cn", "--rule", "r", briefBefore("b", "do it")],
    ]);
    expect(continueLaunch.startWith(["cn", "--auto"], "b")?.command).toEqual([
      ...["cn", "--auto", briefBefore("b", GO_ON)],
    ]);
  });
});
