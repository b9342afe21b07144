/** The files a step loaded: what it read at its start is what its budget limits; what it read later, as it needed it, is not. */
import { ON_DEMAND } from "./definition.ts";
import { own, textsOf } from "./state-doc.ts";

export function filesAtStart(body: unknown): readonly string[] {
  const used = textsOf(own(body, "context_files_used"));
  const later = textsOf(own(body, ON_DEMAND));
  return later.length === 0 ? used : used.filter((path) => !later.includes(path));
}
