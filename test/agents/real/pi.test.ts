/** Real pi, offline. The oracle is the script of the mock model: known bytes, known calls. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("C3, C4: pi killed in the middle of an answer: what it had said is kept, what was written is not written again", () =>
  holds("pi", "kill-text"));

it("S1, S2: pi and refloat killed together: the open call is named, what still runs is named, nothing half-done is safe", () =>
  holds("pi", "both"));
