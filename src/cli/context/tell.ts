/** What use cases tell, for whoever typed the command: on stderr, and where they are about another workspace, so are the commands printed. */

import type { WorkspaceHere } from "../../app/place/workspace-here.ts";
import type { RecoverOrder } from "../../app/recovery/recover.ts";
import type { RefloatStore } from "../../app/store/open-store.ts";
import { type Tell, tellOnce } from "../../app/telling/news.ts";
import type { OnUnknownKey } from "../../text/read-config-text.ts";
import { newsLines } from "../screen/news-lines.ts";
import { tellAbout } from "./about.ts";
import type { Context } from "./context.ts";

export const teller =
  (context: Context): Tell =>
  (news) => {
    if (news.kind === "about") tellAbout(context, news.root);
    else for (const line of newsLines(news, context.out)) context.out.narrate(line);
  };

/** A key of a config that means nothing is said once a command, however often the config is read (T1). */
export function tellsUnknownKeys(context: Context): OnUnknownKey {
  const tell = tellOnce(teller(context));
  return (key) => tell({ kind: "unknown-key", key });
}

/** The recovery of what died in the workspace that a command is about. */
export const recoveryHere = async (
  context: Context,
  store: RefloatStore,
  { workspace, place, env }: WorkspaceHere,
): Promise<RecoverOrder> => ({
  ...{ store: store.raw, env, home: await context.home() },
  where: { kind: "workspace", workspace, place },
  tell: teller(context),
});
