import { describe, expect, test } from "vitest";
import type { MediaPart } from "../../model/parts.ts";
import { MAX_IMAGE_BASE64_CHARS, mediaContent } from "./image.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const base64 = (bytes: string) => Buffer.from(bytes, "latin1").toString("base64");

function content(part: Partial<MediaPart>) {
  return mediaContent({ type: "media", media_type: "image/png", ...part } as MediaPart);
}

describe("an image every provider takes", () => {
  test("has the type its bytes show, not the one it was labelled with", () => {
    const bytes = {
      "image/png": PNG,
      "image/jpeg": base64("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01"),
      "image/gif": base64("GIF89a......"),
      "image/webp": base64("RIFF....WEBPVP8 "),
    };
    for (const [mediaType, data] of Object.entries(bytes)) {
      expect(content({ media_type: "image/heic", data })).toMatchObject({
        kind: "image",
        source: { mediaType, data },
      });
    }
  });

  test("may be given as a data URL or by an https address", () => {
    expect(content({ url: `data:image/png;base64,${PNG}` })).toMatchObject({
      source: { kind: "base64", data: PNG },
    });
    expect(content({ url: "https://example.com/a.png" })).toMatchObject({ source: { kind: "url" } });
  });
});

test("whatever one of the providers would refuse is told as a placeholder with its name, never sent as an image", () => {
  const refused: Partial<MediaPart>[] = [
    { data: "" },
    { data: "not base64" },
    { data: base64("<svg xmlns='http://www.w3.org/2000/svg'/>") },
    { data: `${PNG.slice(0, 16)}${"A".repeat(MAX_IMAGE_BASE64_CHARS)}` },
    { media_type: "application/pdf", data: PNG },
    { media_type: "image/svg+xml", url: "https://example.com/a.svg" },
    { url: "http://example.com/a.png" },
    { url: "file:///etc/passwd" },
    { url: "https://" },
    { content: "0".repeat(64) },
    { data: 5 as unknown as string },
  ];
  for (const part of refused) {
    const { media_type = "image/png" } = part;
    expect(content({ ...part, name: "shot.png" })).toEqual({
      kind: "text",
      text: `[attachment left out: ${media_type}, shot.png]`,
    });
  }
});
