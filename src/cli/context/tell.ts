/** What use cases tell, for whoever typed the command: on stderr, and where they are about another workspace, so are the commands printed. */

import type { WorkspaceHere } from "../../app/place/workspace-here.ts";
import type { RecoverOrder } from "../../app/recovery/recover.ts";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { Tell } from "../../app/telling/news.ts";
import { newsLines } from "../screen/news-lines.ts";
import { tellAbout } from "./about.ts";
import type { Context } from "./context.ts";

export const teller =
  (context: Context): Tell =>
  (news) => {
    if (news.kind === "about") tellAbout(context, news.root);
    else for (const line of newsLines(news, context.out)) context.out.narrate(line);
  };

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
