/**
 * A tar archive any tar unpacks: ustar headers, with a pax header where a name or a link's target is too long for them or
 * not plain ASCII. Only what a bundle needs: files, symlinks, permission bits. Names are bytes and stay as they are.
 */
const BLOCK = 512;
const NAME_BYTES = 100;

export interface TarEntry {
  /** Relative, with forward slashes. */
  readonly name: Uint8Array;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly content:
    | { readonly kind: "file"; readonly bytes: Uint8Array }
    | { readonly kind: "symlink"; readonly target: Uint8Array };
}

export async function* tarOf(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) yield* entryOf(entry);
  // Two empty blocks end it.
  yield new Uint8Array(2 * BLOCK);
}

function* entryOf({ name, mode, mtimeMs, content }: TarEntry): Generator<Uint8Array> {
  const target = content.kind === "symlink" ? content.target : new Uint8Array();
  const bytes = content.kind === "file" ? content.bytes : new Uint8Array();
  const extended = [
    ...(fits(name) ? [] : [paxRecord("path", name)]),
    ...(fits(target) ? [] : [paxRecord("linkpath", target)]),
  ];
  const mtime = Math.max(0, Math.floor(mtimeMs / 1000));
  if (extended.length > 0) {
    const body = Buffer.concat(extended);
    yield header({
      name: Buffer.from("pax"),
      target: Buffer.alloc(0),
      mode: 0o644,
      size: body.length,
      mtime,
      type: "x",
    });
    yield padded(body);
  }
  const type = content.kind === "file" ? "0" : "2";
  yield header({ name, target, mode, size: bytes.byteLength, mtime, type });
  yield padded(bytes);
}

const fits = (name: Uint8Array): boolean =>
  name.byteLength <= NAME_BYTES && name.every((byte) => byte >= 0x20 && byte < 0x7f);

interface Header {
  readonly name: Uint8Array;
  readonly target: Uint8Array;
  readonly mode: number;
  readonly size: number;
  readonly mtime: number;
  readonly type: "0" | "2" | "x";
}

function header({ name, target, mode, size, mtime, type }: Header): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  block.set(name.subarray(0, NAME_BYTES), 0);
  octal(block, mode & 0o7777, 100, 8);
  octal(block, 0, 108, 8);
  octal(block, 0, 116, 8);
  octal(block, size, 124, 12);
  octal(block, mtime, 136, 12);
  block.fill(" ", 148, 156);
  block.write(type, 156, "latin1");
  block.set(target.subarray(0, NAME_BYTES), 157);
  block.write("ustar\u000000", 257, "latin1");
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\u0000 `, 148, "latin1");
  return block;
}

function octal(block: Buffer, value: number, at: number, length: number): void {
  block.write(`${value.toString(8).padStart(length - 1, "0")}\u0000`, at, "latin1");
}

function padded(bytes: Uint8Array): Uint8Array {
  const rest = bytes.byteLength % BLOCK;
  return rest === 0 ? bytes : Buffer.concat([bytes, new Uint8Array(BLOCK - rest)]);
}

/** "LENGTH key=value\n", the length counting itself. */
function paxRecord(key: string, value: Uint8Array): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
