/** The user's words on an agent's command line stay; only the prompt gives way. */
import { describe, expect, it } from "vitest";
import { type PromptGrammar, withPrompt } from "./prompt.ts";

const GRAMMAR: PromptGrammar = {
  prompt: ["-p", "--prompt"],
  flags: { "-m": 1, "--model": 1, "--file": "many" },
};
const shouted = (words: readonly string[]): readonly string[] | null =>
  withPrompt(words, GRAMMAR, (prompt) => prompt.toUpperCase());

describe("the prompt of a command line", () => {
  it("is found behind its flag in either form, and no value of another flag is taken for it", () => {
    expect(shouted(["-m", "a", "-p", "do it", "--yolo"])).toEqual(["-m", "a", "-p", "DO IT", "--yolo"]);
    expect(shouted(["--prompt=do it", "--model=a"])).toEqual(["--prompt=DO IT", "--model=a"]);
    expect(shouted(["-m", "-p", "do it"])).toEqual(["-m", "-p", "DO IT"]);
    expect(shouted(["--yolo", "-m", "a"])).toBeNull();
  });
  it("may be several plain words, also behind --, and becomes one", () => {
    expect(shouted(["do", "-m", "a", "it", "--", "-now"])).toEqual(["DO IT -NOW", "-m", "a", "--"]);
    expect(shouted(["do", "--file", "a", "b"])).toEqual(["DO", "--file", "a", "b"]);
    expect(shouted(["--", "-p", "x"])).toEqual(["--", "-P X"]);
  });
});
