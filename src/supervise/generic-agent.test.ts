import { describe, expect, it } from "vitest";
import { MarkerReader } from "./generic-agent.ts";

const labels = (pieces: readonly string[]): string[] => {
  const reader = new MarkerReader();
  return pieces.flatMap((piece) =>
    reader
      .read(Buffer.from(piece))
      .map((seen) => (seen.kind === "limit" ? "" : `${seen.kind} ${seen.label}`)),
  );
};

describe("text markers", () => {
  it("are found alone on a line, in order, with the line ends of pipes and terminals", () => {
    const text = "hello\n# BEGIN: move it\nwork\r\n# END: move it\r\n# BEGIN: last\n";
    expect(labels([text])).toEqual([
      "operation-began move it",
      "operation-ended move it",
      "operation-began last",
    ]);
  });

  it("are found wherever the pieces are cut, each once", () => {
    const text = "x\n# BEGIN: a b\ny\n\n# END: a b\nz";
    const whole = labels([text]);
    expect(whole).toHaveLength(2);
    for (let at = 0; at <= text.length; at += 1) {
      expect(labels([text.slice(0, at), text.slice(at)]), String(at)).toEqual(whole);
    }
    expect(labels([...text])).toEqual(whole);
  });

  it("are not seen in the middle of a line, indented, without a label, or before the line has ended", () => {
    const lines = ["say # BEGIN: a", "  # BEGIN: b", "# BEGIN: ", "# BEGIN:c", "#BEGIN: d", "## BEGIN: e"];
    expect(labels([`${lines.join("\n")}\n# BEGIN: f`])).toEqual([]);
  });

  it("are not seen in a line of any length, and do not make the reader hold it (T5)", () => {
    expect(
      labels([`# BEGIN: ${"x".repeat(1000)}\n`, "# BEGIN: ", "y".repeat(1000), "\n# END: ok\n"]),
    ).toEqual(["operation-ended ok"]);
  });
});
