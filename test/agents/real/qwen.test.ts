/** Real Qwen Code, offline. The oracle is the script of the mock model: known bytes, known calls. */
import { it } from "vitest";
import { holds } from "./sample.ts";

it("D5: Qwen Code's torn transcript is mended before it goes on: nothing of the history is lost over two resumes", () =>
  holds("qwen", "torn", 2));

it("S1, S2: Qwen Code started without refloat and killed: a session, its open call and what still runs are found", () =>
  holds("qwen", "plain"));
