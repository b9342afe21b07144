/** Real OpenCode, offline. The oracle is the script of the mock model: known bytes, known calls. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("C4, S2: OpenCode killed in a tool: a call that stays running in its database is open, and is not repeated", () =>
  holds("opencode", "kill-tool"));

it("C4: OpenCode killed with two calls at once: the finished one is done, the other one's outcome is unknown", () =>
  holds("opencode", "kill-parallel"));
