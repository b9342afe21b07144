/** `--web`: what a command shows, on the page, at its place. As `serve`, until a signal ends it. */
import { findSession } from "../../../app/sessions/find-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { servedAt } from "./serve.ts";

export interface PagePlace {
  /** As it was typed; null: left out. */
  readonly session: string | null;
  readonly view: "life" | "left";
}

/** Null: the first view. */
export async function onThePage(context: Context, place: PagePlace | null): Promise<CommandEnd> {
  return servedAt(context, {
    ...{ host: "127.0.0.1", port: 0, tokenFile: null },
    isOpening: process.stdout.isTTY === true,
    to: place === null ? "/" : await placeOf(context, place),
  });
}

/** Throws as the command itself would where there is no such session. */
async function placeOf(context: Context, { session, view }: PagePlace): Promise<string> {
  const { row } = await findSession(context, session);
  return `/session/${encodeURIComponent(row.id)}${view === "life" ? "" : `/${view}`}`;
}
