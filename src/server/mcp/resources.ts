/** What a client may read by its address: the brief and the manifest, of the session that is meant or of one that is named. */

import { jsonResource } from "./answer.ts";
import { briefed, inspected } from "./reading-tools.ts";
import type { ToolPlace } from "./tool.ts";

export interface Resource {
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** `session`: null: the newest unsettled one here, else the newest. */
  read(at: ToolPlace, session: string | null): Promise<string>;
}

export const RESOURCES: readonly Resource[] = [
  {
    name: "brief",
    uri: "refloat://brief",
    title: "The brief for whoever goes on",
    description: "What the session before was doing, finished, left half done and decided, as Markdown.",
    mimeType: "text/markdown",
    read: async (at, session) => (await briefed(at, session, null)).markdown ?? "",
  },
  {
    name: "manifest",
    uri: "refloat://manifest",
    title: "What a session left",
    description: "Every uncommitted group of a session with its verdict and reasons, as JSON.",
    mimeType: "application/json",
    read: async (at, session) => jsonResource(await inspected(at, session)),
  },
];
