/**
 * Loads the program's files: each is one function expression (scripts/bundle.mjs), so that what V8 has compiled of it can be handed in
 * where `init` kept that beside it (docs/decisions/0031-compiled-code-beside-the-program.md). Whoever can write there can write the program itself,
 * so it is trusted as the program is. What is of another Node, or of other flags, V8 refuses and compiles anew: nothing but time is lost. What is
 * damaged it would run until it crashes (it looks at its own checksum in debugging builds alone), so each has one of ours.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

/** What a file of the program is: its body, as CommonJS has it. */
type ProgramBody = (
  exports: object,
  require: object,
  module: { exports: object },
  filename: string,
  folder: string,
) => void;

/** Of each file of the program by its name: from which byte behind the index, how many, and their checksum (CRC-32). */
export type CompiledIndex = Readonly<Record<string, readonly [from: number, length: number, sum: number]>>;

/** One of the packs that lie beside the program, for each Node that `init` was run with. It begins with its index, that with its length and checksum. */
export const compiledPack = (): string => `compiled/${process.version}-${process.arch}.pack`;
export const INDEX_HEAD = { bytes: 8, length: 0, sum: 4 } as const;

/** ASCII alone, so read as bytes. V8 holds what was kept against its length, and its name has a hash of it. */
export const programText = (file: URL | string): string => readFileSync(file, "latin1");

/** `folder`: where the program lies, `dist/program/`. It gives the exports of one of its files, which is loaded once, with what that needs. */
export function programLoader(folder: URL): (name: string) => object {
  const home = fileURLToPath(folder);
  const installed = createRequire(folder);
  const compiled = openPack(new URL(`../${compiledPack()}`, folder), installed);
  const loaded = new Map<string, { exports: object }>();
  const load = (name: string): object => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const filename = `${home}${name}`;
    const cachedData = compiled(name);
    const script = new Script(programText(filename), { filename, ...(cachedData && { cachedData }) });
    const body: ProgramBody = script.runInThisContext();
    // Read and compiled: what could not be (an update took it away) is asked for again by the next who needs it.
    const module = { exports: {} };
    loaded.set(name, module);
    body(module.exports, requireFrom, module, filename, home);
    return module.exports;
  };
  const requireFrom = Object.assign(
    (name: string) => (name.startsWith("./") ? load(name.slice("./".length)) : installed(name)),
    // A package that is loaded late may be a module, which only import can load.
    { late: (name: string) => import(name) },
  );
  return load;
}

/** What is kept of a file. The pack is opened anew for each, so that none stays open in a process that lives long. */
function openPack(path: URL, installed: NodeJS.Require): (name: string) => Buffer | null {
  if (!existsSync(path)) return () => null;
  const { crc32 } = installed("node:zlib") as typeof import("node:zlib");
  const pack = readPack(path, (fd) => {
    const head = readAt(fd, 0, INDEX_HEAD.bytes);
    const text = head && readAt(fd, INDEX_HEAD.bytes, head.readUInt32LE(INDEX_HEAD.length));
    if (!head || !text || crc32(text) !== head.readUInt32LE(INDEX_HEAD.sum)) return null;
    return { index: JSON.parse(text.toString("latin1")) as CompiledIndex, behind: head.length + text.length };
  });
  return (name) => {
    const place = pack?.index[name];
    if (!pack || !place) return null;
    const [from, length, sum] = place;
    const bytes = readPack(path, (fd) => readAt(fd, pack.behind + from, length));
    return bytes !== null && crc32(bytes) === sum ? bytes : null;
  };
}

/** Null: it cannot be read, for whatever reason. Then the program compiles itself, as it does where there is none. */
function readPack<T>(path: URL, read: (fd: number) => T | null): T | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, "r");
    return read(fd);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** No program is compiled to more; a number that is larger is no length. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Null: they are not there. */
function readAt(fd: number, from: number, length: number): Buffer | null {
  if (!(length > 0 && length <= MOST_BYTES)) return null;
  const bytes = Buffer.allocUnsafeSlow(length);
  return readSync(fd, bytes, 0, length, from) === length ? bytes : null;
}
