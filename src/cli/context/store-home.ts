/** The folder of the store this command works on, where run folders and scratch trees lie. */
import type { Context } from "./context.ts";

export async function homeOf(context: Context): Promise<string> {
  const { homeOfStore } = await import("../../store/open-raw-store.ts");
  return homeOfStore(await context.storeAddress(), process.env);
}
