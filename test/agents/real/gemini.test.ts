/** Real Gemini CLI, offline. The oracle is the script of the mock model: known bytes, known calls. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("L7: Gemini CLI that ended by its own word is finished, its calls done, its work safe", () =>
  holds("gemini", "clean"));

it("C4, S2: Gemini CLI told to end by SIGTERM in a tool: the call its files never had is named and not repeated", () =>
  holds("gemini", "sigterm"));
