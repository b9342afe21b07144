/** `openGateway` of the library: loads the gateway when it is wanted and hands it the store itself. */

import type { RefloatStore } from "../app/store/open-store.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { GatewayOptions } from "../gateway/options.ts";
import type { Store } from "../store/store.ts";

/** Resolves when this instance is on record; `gateway.opened` when recovery is done. */
export async function openGateway(store: RefloatStore | Store, options: GatewayOptions): Promise<Gateway> {
  const { startGateway } = await import("../gateway/gateway.ts");
  return "raw" in store ? startGateway(store.raw, options, store.home) : startGateway(store, options, null);
}
