/** What a file that is no text is, told by its first bytes and never by its name: a name is the agent's word. Pure. */

export interface FileKind {
  /** In words a person knows. */
  readonly name: string;
  /** What a browser may draw; null: nothing. No SVG: that is a document with scripts, and text besides. */
  readonly picture: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/bmp" | null;
}

interface Signature extends FileKind {
  readonly bytes: readonly number[];
  readonly at?: number;
}

const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];

const SIGNATURES: readonly Signature[] = [
  { bytes: [0x89, ...ascii("PNG\r\n\x1a\n")], name: "PNG picture", picture: "image/png" },
  { bytes: [0xff, 0xd8, 0xff], name: "JPEG picture", picture: "image/jpeg" },
  { bytes: ascii("GIF8"), name: "GIF picture", picture: "image/gif" },
  { bytes: ascii("WEBP"), at: 8, name: "WebP picture", picture: "image/webp" },
  { bytes: ascii("BM"), name: "bitmap picture", picture: "image/bmp" },
  { bytes: ascii("%PDF-"), name: "PDF document", picture: null },
  { bytes: ascii("PK\x03\x04"), name: "ZIP archive, or a file made as one", picture: null },
  { bytes: [0x1f, 0x8b], name: "gzip archive", picture: null },
  { bytes: ascii("\x7fELF"), name: "program (ELF)", picture: null },
  { bytes: [0xcf, 0xfa, 0xed, 0xfe], name: "program (Mach-O)", picture: null },
  { bytes: ascii("MZ"), name: "program (Windows)", picture: null },
  { bytes: ascii("\0asm"), name: "WebAssembly module", picture: null },
  { bytes: ascii("SQLite format 3\0"), name: "SQLite database", picture: null },
  { bytes: [0xca, 0xfe, 0xba, 0xbe], name: "Java class", picture: null },
  { bytes: ascii("OggS"), name: "Ogg sound or film", picture: null },
  { bytes: ascii("ID3"), name: "MP3 sound", picture: null },
  { bytes: ascii("ftyp"), at: 4, name: "MP4 film, or a picture made as one", picture: null },
  { bytes: ascii("wOF2"), name: "font", picture: null },
  { bytes: ascii("wOFF"), name: "font", picture: null },
];

export function fileKindOf(bytes: Uint8Array): FileKind {
  const found = SIGNATURES.find(({ bytes: signature, at = 0 }) =>
    signature.every((byte, i) => bytes[at + i] === byte),
  );
  return found ? { name: found.name, picture: found.picture } : { name: "binary file", picture: null };
}
