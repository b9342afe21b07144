import { describe, expect, it } from "vitest";
import { saysFailed, statusSaid } from "./call-output.ts";

describe("what an output says of its call", () => {
  it.each([
    [{ exit_code: 1 }, true],
    [{ exitCode: 0, code: 0 }, false],
    [{ is_error: true }, true],
    [{ code: 2 }, true],
    [{ code: 200, body: "{}" }, false],
    [{ code: 404 }, true],
    [{ code: 200, stderr: "" }, true],
    [{ exit_code: 200 }, true],
    ["exit 1", false],
    [null, false],
    [[1], false],
  ])("%j: failed is %s", (output, wanted) => expect(saysFailed(output)).toBe(wanted));

  it("is said of a call that is done, and of none that was called off", () => {
    expect(statusSaid("done", { exit_code: 130 })).toBe("failed");
    expect(statusSaid("cancelled", { exit_code: 130 })).toBe("cancelled");
    expect(statusSaid("interrupted", { exit_code: 130 })).toBe("interrupted");
    expect(statusSaid("done", { exit_code: 0 })).toBe("done");
  });
});
