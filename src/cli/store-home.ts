/** The folder beside which run folders and scratch trees lie: the store's own, or of a server the user's. */
import { dirname } from "node:path";
import { storeHome } from "../platform/places.ts";
import type { Context } from "./context.ts";

export async function homeOf(context: Context): Promise<string> {
  const { isPostgres, storePath } = await import("../store/open-raw-store.ts");
  const address = await context.storeAddress();
  return isPostgres(address) ? storeHome(process.env) : dirname(storePath(address));
}
