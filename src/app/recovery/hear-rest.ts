/**
 * What an agent wrote of itself after its supervisor last looked, taken in before its death is closed (S1): a kill of both loses
 * nothing that the agent had written. Under the dead attempt's own number: whoever takes the session up meanwhile fences this off (K1).
 */
import { takeIn } from "../../agents/journal/take-in.ts";
import { AGENTS } from "../../agents/registry.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";

export async function takeRest(store: Store, row: SessionRow, env: Environment): Promise<void> {
  const { facts, claim, id } = row;
  const known = isJsonObject(facts.heard) ? facts.heard : {};
  const nativeId = [known.native_id, facts.native_id].find((one) => typeof one === "string" && one !== "");
  if (typeof nativeId !== "string" || claim.owner === null) return;
  for (const { adapter, path } of transcriptsNamed(nativeId, workspaceIn(row), env)) {
    const order = { session: id, attempt: claim.attempt, adapter, path, nativeId };
    try {
      await takeIn(store, { ...order, turns: "session", isOver: true });
    } catch (thrown) {
      // A transcript that cannot be read, or a session that was taken up meanwhile, is no reason to leave it unsettled.
      if (!(thrown instanceof RefloatError)) throw thrown;
    }
  }
}

function transcriptsNamed(
  nativeId: string,
  folder: string,
  env: Environment,
): readonly { readonly adapter: AgentAdapter; readonly path: string }[] {
  const home = agentHome(env);
  return AGENTS.flatMap((adapter) =>
    adapter.places
      .find(home, folder)
      .filter((found) => found.nativeId === nativeId)
      .slice(0, 1)
      .map(({ path }) => ({ adapter, path })),
  );
}
