/**
 * Loads the program's files: each is one function expression (scripts/bundle.mjs), so that what V8 has compiled of it can be handed in
 * where `init` kept that beside it (docs/decisions/0031-compiled-code-beside-the-program.md). Whoever can write there can write the program itself,
 * so it is trusted as the program is. What is of another Node, or of other flags, V8 refuses and compiles anew: nothing but time is lost. What is
 * damaged it would run until it crashes (it looks at its own checksum in debugging builds alone), so each has one of ours.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
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

/** One of the packs that lie beside the program, for each Node that `init` was run with. It begins with its index, that with its length. */
export const compiledPack = (): string => `compiled/${process.version}-${process.arch}.pack`;
export const INDEX_LENGTH_BYTES = 4;

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
    const module = { exports: {} };
    loaded.set(name, module);
    const filename = `${home}${name}`;
    const cachedData = compiled(name);
    const script = new Script(programText(filename), { filename, ...(cachedData && { cachedData }) });
    const body: ProgramBody = script.runInThisContext();
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
  const pack = readPack(path, readIndex);
  if (pack === null) return () => null;
  const { crc32 } = installed("node:zlib") as typeof import("node:zlib");
  return (name) => {
    const place = pack.index[name];
    if (!Array.isArray(place)) return null;
    const [from, length, sum] = place;
    const bytes = readPack(path, (fd) => readAt(fd, pack.behind + from, length));
    return bytes !== null && crc32(bytes) === sum ? bytes : null;
  };
}

function readIndex(fd: number): { index: CompiledIndex; behind: number } | null {
  const length = readAt(fd, 0, INDEX_LENGTH_BYTES)?.readUInt32LE() ?? 0;
  const text = readAt(fd, INDEX_LENGTH_BYTES, length)?.toString("latin1") ?? "";
  try {
    return { index: JSON.parse(text) as CompiledIndex, behind: INDEX_LENGTH_BYTES + length };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return null;
  }
}

function readPack<T>(path: URL, read: (fd: number) => T | null): T | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (thrown) {
    // None was made; or it is not ours to read. Then the program compiles itself, as it did before there was one.
    if (["ENOENT", "EACCES"].includes((thrown as NodeJS.ErrnoException).code ?? "")) return null;
    throw thrown;
  }
  try {
    return read(fd);
  } finally {
    closeSync(fd);
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
