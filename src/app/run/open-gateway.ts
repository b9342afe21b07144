/** A gateway over a store: its room is loaded when one is wanted, and handed the store itself. */
import type { Gateway } from "../../gateway/gateway.ts";
import type { GatewayOptions } from "../../gateway/options.ts";
import type { Store } from "../../store/store.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Resolves when this instance is on record; `gateway.opened` when recovery is done. */
export async function openGateway(store: RefloatStore | Store, options: GatewayOptions): Promise<Gateway> {
  const { startGateway } = await import("../../gateway/gateway.ts");
  return "raw" in store ? startGateway(store.raw, options, store.home) : startGateway(store, options, null);
}
