import { describe, expect, it } from "vitest";
import { markText, parseMark } from "./mark.ts";

describe("the mark of a child (S2)", () => {
  it("is read back as it was made, from ids with dots, too", () => {
    for (const session of ["k3v9", "chat.42", "a.1.b"]) {
      const mark = { session, attempt: 3, random: "x7" };
      expect(parseMark(markText(mark))).toEqual(mark);
    }
  });

  it("is not read into what is none: a bare id, an attempt that is no number, a part missing", () => {
    for (const text of ["", "k3v9", "k3v9.x.r", "k3v9.0.r", ".1.r", "k3v9.1."])
      expect(parseMark(text)).toBeNull();
  });
});
