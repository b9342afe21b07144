/**
 * The program's code as V8 has compiled it, kept beside the program: commands start in about half the time (load-program.ts uses it). Only `init`
 * makes it, for reading commands write nowhere (W1); where the program's folder may not be written, being another user's, there is none.
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { writeDurable } from "./durable-file.ts";
import { mayWrite } from "./foreign-file.ts";
import { guarded } from "./io-error.ts";
import { type CompiledIndex, compiledPack, INDEX_HEAD, programText } from "./load-program.ts";
import { builtFile } from "./own-files.ts";

/** `impossible`: nobody built the program, or its folder may not be written. */
export interface CompiledCode {
  readonly kind: "kept" | "missing" | "impossible";
  readonly path: string;
}

export function compiledCode(): CompiledCode {
  const path = fileURLToPath(builtFile(compiledPack()));
  if (existsSync(path)) return { kind: "kept", path };
  return {
    kind: existsSync(programFolder()) && mayWrite(fileURLToPath(builtFile("./"))) ? "missing" : "impossible",
    path,
  };
}

/** In place as a whole or not at all, after any kill: of half a pack V8 would not be told. Two at once: both are right. */
export function keepCompiled(): void {
  const { kind, path } = compiledCode();
  if (kind !== "missing") return;
  guarded(dirname(path), () => mkdirSync(dirname(path), { recursive: true }));
  writeDurable(path, packed(compileAll()), { mode: READABLE });
}

/** As the program's files are. */
const READABLE = 0o644;

const programFolder = (): URL => builtFile("program/");

interface Compiled {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Every function, not only those that are called at once: V8 would leave the others to the first call. */
function compileAll(): readonly Compiled[] {
  const names = readdirSync(programFolder()).filter((name) => name.endsWith(".js"));
  setFlagsFromString("--no-lazy");
  try {
    const scripts = names.map((name) => {
      const file = new URL(name, programFolder());
      return { name, script: new Script(programText(file), { filename: fileURLToPath(file) }) };
    });
    // The flags it is of are written into it: those that it is read with.
    setFlagsFromString("--lazy");
    return scripts.map(({ name, script }) => ({ name, bytes: script.createCachedData() }));
  } finally {
    setFlagsFromString("--lazy");
  }
}

function packed(files: readonly Compiled[]): Buffer {
  const index: Record<string, CompiledIndex[string]> = {};
  let from = 0;
  for (const { name, bytes } of files) {
    index[name] = [from, bytes.length, crc32(bytes)];
    from += bytes.length;
  }
  const text = Buffer.from(JSON.stringify(index), "latin1");
  const head = Buffer.alloc(INDEX_HEAD.bytes);
  head.writeUInt32LE(text.length, INDEX_HEAD.length);
  head.writeUInt32LE(crc32(text), INDEX_HEAD.sum);
  return Buffer.concat([head, text, ...files.map(({ bytes }) => bytes)]);
}
