import { describe, expect, it } from "vitest";
import { asTyped, programTyped } from "./typed-command.ts";

const HERE = { about: null, directory: null, store: null };

describe("a command as it is printed (T6)", () => {
  it("is the program alone where somebody stands, and names what it is about elsewhere, quoted", () => {
    expect(programTyped(HERE)).toBe("refloat");
    expect(programTyped({ ...HERE, directory: "../x" })).toBe("refloat -C ../x");
    expect(programTyped({ about: "/it's here", directory: "../x", store: "/a b.db" })).toBe(
      "refloat -C '/it'\\''s here' --store '/a b.db'",
    );
  });

  it("is found in a sentence of ours, in marks or not, and nothing else is", () => {
    const program = "refloat -C /x";
    expect(asTyped("refloat undo", program)).toBe("refloat -C /x undo");
    expect(asTyped("Back: refloat undo (refloat redo), `refloat show a`.", program)).toBe(
      "Back: refloat -C /x undo (refloat -C /x redo), `refloat -C /x show a`.",
    );
    for (const text of ["refloat: no", "refloat.json has it", "of refloat", "REFLOAT_HOME=/x norefloat undo"])
      expect(asTyped(text, program)).toBe(text);
  });
});
