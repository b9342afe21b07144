/** Which workspace a command is about: where that is not the one somebody stands in, it is named, and so do the commands it prints (T6). */

import { scopeOf } from "../../app/place/scope.ts";
import { oneLine } from "../screen/words.ts";
import type { Context } from "./context.ts";

export function tellAbout({ out, place }: Pick<Context, "out" | "place">, root: string): void {
  out.isAbout(scopeOf(place(), "here").workspace === root ? null : root);
}

/** The first line of what is said about a workspace elsewhere. */
export function aboutLines({ out }: Pick<Context, "out">): string[] {
  const root = out.about();
  return root === null ? [] : [out.style.dim(`In ${oneLine(root)}:`)];
}
