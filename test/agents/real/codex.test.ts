/** Real Codex, offline. The oracle is the script of the mock model: known bytes, known calls. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("C4, S2: Codex killed in a tool: the open call is named and not repeated, no tool lives on, nothing half-done is safe", () =>
  holds("codex", "kill-tool"));

it("L4, C4: Codex told to end by Ctrl-C in a tool: its call is not said to be done, and the work goes on by its own resume", () =>
  holds("codex", "sigint"));
