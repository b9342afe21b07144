import { describe, expect, it } from "vitest";
import { fileKindOf } from "./file-kind.ts";

describe("what a file that is no text is", () => {
  it("is told by its first bytes", () => {
    expect(fileKindOf(Buffer.from("89504e470d0a1a0a0000", "hex"))).toEqual({
      name: "PNG picture",
      picture: "image/png",
    });
    expect(fileKindOf(Buffer.from("RIFF\0\0\0\0WEBPVP8 ", "latin1")).picture).toBe("image/webp");
    expect(fileKindOf(Buffer.from("\x7fELF\x02\x01", "latin1"))).toEqual({
      name: "program (ELF)",
      picture: null,
    });
  });

  it("T3: nothing that can hold a script is a picture: no SVG, no HTML, however it begins", () => {
    for (const text of [
      "<svg onload=alert(1)>",
      "<?xml version='1.0'?><svg/>",
      "\ufeff<svg/>",
      "<html>",
      "%PDF-1.7",
      "",
    ])
      expect(fileKindOf(Buffer.from(text)).picture).toBeNull();
  });

  it("is a binary file where nobody knows it, and where it is cut off", () => {
    expect(fileKindOf(Buffer.from([1, 2, 3])).name).toBe("binary file");
    expect(fileKindOf(Buffer.from("89504e", "hex")).name).toBe("binary file");
  });
});
