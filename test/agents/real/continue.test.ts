/** Real Continue, offline. The oracle is the script of the mock model: known bytes, known calls. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("L7: Continue that ended in order is finished, and its calls are done", () => holds("continue", "clean"));

it("C4: Continue killed before its call was whole: nothing is said to be done, and the work is done once", () =>
  holds("continue", "kill-arguments"));
