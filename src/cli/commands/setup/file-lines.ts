/** Files that are set up or given back, on a screen of 80 columns and as JSON. */
import type { PlannedFile } from "../../../agents/install/plan-file.ts";
import type { PathName } from "../../../model/path-name.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { padToWidth } from "../../../text/width.ts";
import { wrapWhole } from "../../../text/wrap-whole.ts";

export const SCREEN_COLUMNS = 80;

export type FilePart = PlannedFile & { readonly title: string };

export function shownHome(path: string, { HOME }: NodeJS.ProcessEnv): string {
  const isInHome = HOME !== undefined && HOME !== "" && path.startsWith(`${HOME}/`);
  return shownPath((isInHome ? `~${path.slice(HOME.length)}` : path) as PathName);
}

/** One line for each where it fits, whose it is said once. */
export const fileLines = (files: readonly FilePart[], env: NodeJS.ProcessEnv): readonly string[] =>
  files.flatMap((file, at) => {
    const title = files[at - 1]?.title === file.title ? "" : file.title;
    const lead = `  ${padToWidth(title, Math.max(...files.map((one) => one.title.length)))}  `;
    const text = `${shownHome(file.path, env)}  ${changeText(file)}`;
    const [first = "", ...rest] = wrapWhole(text, SCREEN_COLUMNS - lead.length);
    return [`${lead}${first}`, ...rest.map((line) => `${" ".repeat(lead.length + 2)}${line}`)];
  });

function changeText(file: PlannedFile): string {
  switch (file.kind) {
    case "same":
      return "as it is";
    case "refused":
      return `left alone: ${file.why}`;
    case "change":
      return file.change.before === null ? `new: ${file.what}` : file.what;
  }
}

export function fileJson(file: PlannedFile): Readonly<Record<string, unknown>> {
  const { path, owner, what } = file;
  const named = { path, agent: owner.agent, scope: owner.scope };
  switch (file.kind) {
    case "same":
      return { ...named, change: "none" };
    case "refused":
      return { ...named, change: "refused", why: file.why };
    case "change": {
      const { before, after } = file.change;
      return { ...named, change: before === null ? "create" : after === null ? "remove" : "edit", what };
    }
  }
}
