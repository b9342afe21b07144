/** How many secrets were taken out of what a command says (T4). */
import { count as counted } from "../screen/words.ts";
import type { Context } from "./context.ts";

/** On stderr, where the command takes --raw. */
export function sayTakenOut({ out }: Context, count: number): void {
  if (count > 0) out.narrate(`${counted(count, "secret")} taken out; --raw leaves them in.`);
}
