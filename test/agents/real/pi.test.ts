/** Real pi, offline, under `refloat run`. The oracle is the script of the mock model. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("C4, S2, L7: pi killed in a tool: the open call is named and not repeated, no tool lives on, nothing half-done is safe", () =>
  holds("pi", "kill-tool"));

it("L7: pi that ended by its own word is finished, its calls done, its work safe", () =>
  holds("pi", "clean"));
