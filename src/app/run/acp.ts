/**
 * An agent between us and its editor, over ACP: supervised as by `run`, and heard as it speaks. An editor starts the agent before it says which
 * conversation it wants. So where the last such session of this folder was cut off, its next attempt begins (L1): what the editor
 * loads then goes on where it stopped. Whatever else it does there, the end of another conversation closes nothing of the one that
 * was cut off (hear-acp.ts).
 */
import { isJsonObject } from "../../model/json.ts";
import { describeSession } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { redactCommand } from "../../text/redact-part.ts";
import { textOrder } from "../../text/text-order.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, workspaceHere } from "../place/workspace-here.ts";
import { recover } from "../recovery/recover.ts";
import { type AskedRun, type RunOrder, runOrder } from "./run-order.ts";

export async function acpOrder(at: AppPlace, asked: Omit<AskedRun, "owner">): Promise<RunOrder> {
  const order: RunOrder = { ...(await runOrder(at, { ...asked, owner: "refloat acp" })), protocol: "acp" };
  const row = await cutOffHere(at, order);
  return row === null ? order : { ...order, resumes: { tree: row, looked: row } };
}

/** The newest session of this very command here, if it was cut off. One that is suspended is not gone on with by itself (L4). */
async function cutOffHere(at: AppPlace, { command, home }: RunOrder): Promise<SessionRow | null> {
  const store = await at.openOrMakeStore({ thread: true });
  const here = await workspaceHere(at, store);
  const { workspace, place, env } = here;
  await recover({ store: store.raw, env, home, where: { kind: "workspace", workspace, place } });
  const typed = JSON.stringify(await redactCommand(command));
  const spoken = (await sessionsHere(store, here)).filter(isAcp);
  const described = await Promise.all(
    spoken.map(async (row) => ({ row, summary: await describeSession(store.raw, row) })),
  );
  const newestFirst = described.toSorted((a, b) =>
    textOrder(b.summary.started_at ?? "", a.summary.started_at ?? ""),
  );
  for (const { row, summary } of newestFirst)
    if ((await commandOf(store.raw, row)) === typed) return summary.state === "interrupted" ? row : null;
  return null;
}

const isAcp = ({ facts: { heard } }: SessionRow): boolean => isJsonObject(heard) && heard.channel === "acp";

async function commandOf(store: Store, { id }: SessionRow): Promise<string> {
  const [marked] = await store.records({ session: id, kinds: ["agent.marked"], order: "backward", limit: 1 });
  return JSON.stringify(marked?.body.command ?? null);
}
