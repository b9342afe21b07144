/**
 * Media as content. One bad image makes a provider refuse the request, and with it every later request
 * of the session (C6): so only what each of the three takes is sent as an image, the rest as a
 * placeholder text. The type is read from the bytes, because a wrong label is refused too.
 */
import type { MediaPart } from "../../model/parts.ts";
import { type Content, IMAGE_TYPES, type ImageContent, type ImageType } from "./round.ts";

/** The smallest limit of the three, and it counts base64 characters: 5 MiB of them. */
export const MAX_IMAGE_BASE64_CHARS = 5 * 1024 * 1024;

/** Enough for the longest signature (WebP: 12 bytes), in whole base64 groups. */
const SIGNATURE_CHARS = 16;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DATA_URL = /^data:([^;,]*);base64,/i;

export function mediaContent(part: MediaPart): Content {
  // The fields of a part that does not fit its schema may be of any type (D5: it is kept as it came).
  const url = textOrNull(part.url);
  const inline = url === null ? null : DATA_URL.exec(url);
  const data = textOrNull(part.data) ?? (url !== null && inline ? url.slice(inline[0].length) : null);
  const declared = (
    textOrNull(part.data) === null && inline ? (inline[1] ?? "") : part.media_type
  ).toLowerCase();
  const placeholder = placeholderOf(part);
  const source = declared.startsWith("image/") ? imageSource(declared, data, url) : null;
  return source === null ? { kind: "text", text: placeholder } : { kind: "image", source, placeholder };
}

function imageSource(
  declared: string,
  data: string | null,
  url: string | null,
): ImageContent["source"] | null {
  if (data !== null) {
    const mediaType = isImageBase64(data) ? sniffImageType(data) : null;
    return mediaType === null ? null : { kind: "base64", mediaType, data };
  }
  return url !== null && isKnownType(declared) && isFetchable(url) ? { kind: "url", url } : null;
}

export function isImageBase64(data: string): boolean {
  return data.length <= MAX_IMAGE_BASE64_CHARS && data.length % 4 === 0 && BASE64.test(data);
}

/** What the first bytes say, or null. */
export function sniffImageType(data: string): ImageType | null {
  const head = Buffer.from(data.slice(0, SIGNATURE_CHARS), "base64").toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp";
  return null;
}

function isKnownType(type: string): boolean {
  return type === "image/jpg" || IMAGE_TYPES.some((known) => known === type);
}

/** The provider fetches it: only an address that is surely one, and never a local scheme. */
function isFetchable(url: string): boolean {
  return url.isWellFormed() && URL.canParse(url) && new URL(url).protocol === "https:";
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function placeholderOf(part: MediaPart): string {
  const name = typeof part.name === "string" ? `, ${part.name}` : "";
  return `[attachment left out: ${part.media_type}${name}]`.toWellFormed();
}
