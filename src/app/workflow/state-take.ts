/** `state take`: what agents said of their workflow from inside a sandbox, put into the state files of this workspace (W1: by the user's order). */
import type { AnsweredOrder } from "../../workflow/said-orders.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import { carryOutIn, type SaidOfFile, saidIn } from "../inbox/said-in.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";

export interface TakenOrders {
  readonly done: readonly (AnsweredOrder & { readonly file: string })[];
  /** Refused now or before, or waiting: for a file that has to be repaired first, or because nothing was to be done. */
  readonly left: readonly SaidOfFile[];
}

export async function takeSaidOrders(
  at: AppPlace,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<TakenOrders> {
  await hearHooks(at);
  const store = await at.findStore();
  const { root } = (await workspaceHere(at, store)).workspace;
  const done: TakenOrders["done"][number][] = [];
  if (store && !isDryRun)
    await carryOutIn(store.raw, root, (news) => {
      if (news.kind !== "said-answered") return;
      const { file, answered } = news;
      done.push(...answered.filter(({ outcome }) => outcome === "done").map((one) => ({ ...one, file })));
    });
  return { done, left: await saidIn(store?.raw ?? null, root) };
}
