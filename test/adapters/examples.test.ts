/** The examples of the frameworks, as they are copied: killed while they pay, started again, and no bill is paid twice. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended } from "../support/cli.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/killed.mjs");

const EXAMPLES = ["langgraph", "ai-sdk", "openai-agents"] as const;

it.for(EXAMPLES)(
  "%s goes on, pays the third bill, and says of the second that it may be paid",
  async (example) => {
    const { code, stdout } = await ended(spawn(process.execPath, [EXAMPLE, example]));
    expect(code).toBe(0);
    const [, second = ""] = stdout.split("Second try");
    expect(second).toMatch(/pays bill 3/);
    expect(second).not.toMatch(/pays bill [12]/);
    expect(second).toMatch(/of 1 payments please look yourself/);
    expect(stdout.trim().split("\n").at(-1)).toMatch(/^Paid: 1,( 2,)? 3$/);
  },
);
