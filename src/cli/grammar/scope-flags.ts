/** --all and --here: which work trees a list is about. */
import { type RepositoryScope, scopeOf } from "../../app/place/scope.ts";
import { type CommandInput, isSet, usage } from "./options.ts";

export function repositoryScope(input: CommandInput, directory: string): RepositoryScope {
  const isAll = isSet(input, "all");
  const isHere = isSet(input, "here");
  if (isAll && isHere) throw usage("--all and --here exclude each other.");
  return scopeOf(directory, isAll ? "all" : isHere ? "here" : "repository");
}
