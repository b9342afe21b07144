/** How a subagent is gone on with, in words: for the brief and for every face. Pure. */

/** The tool by which an agent's model goes on with a subagent, and the field that takes its id. */
export interface ChildTool {
  readonly tool: string;
  readonly field: string;
}

/** `parent`: by that tool of the session that began it. `none`: not by itself; its parent is. `again`: it is asked for anew. */
export type ChildResume = ({ readonly by: "parent" } & ChildTool) | { readonly by: "none" | "again" };

/**
 * Nobody goes on with a subagent from outside: whoever began it does, where its agent lets it. Null: there is nothing to go on with. `shown`:
 * its id as it may stand there.
 */
export function childResumeWords(
  { id, resume }: { readonly id: string | null; readonly resume?: ChildResume },
  shown: (id: string) => string,
): string | null {
  switch (resume?.by) {
    case undefined:
      return null;
    case "parent":
      return `Its parent goes on with it: ${resume.tool}, ${resume.field} ${shown(id ?? "")}; in a new conversation give the rest to a new one`;
    case "none":
      return "It cannot be resumed by itself, its parent is: give the rest to a new one";
    case "again":
      return "It cannot be resumed: ask for it again in its parent, after a look at the tree";
  }
}
