/** What `init` does for the program's own start: nothing that is called depends on it, so what fails is said and stops nothing. */
import { RefloatError } from "../../model/errors.ts";
import { type CompiledCode, keepCompiled } from "../../platform/compiled-code.ts";
import type { RefusedFile } from "./install-files.ts";

export function keepCompiledHere({ kind, path }: CompiledCode): readonly RefusedFile[] {
  if (kind !== "missing") return [];
  try {
    keepCompiled();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    return [{ path, why: thrown.message }];
  }
}
