/** Where refloat is switched off, a command that goes on says so: what it shows may be less than there is (T1). */
import { whyOff } from "../../app/place/off.ts";
import { offLine } from "../../app/place/off-line.ts";
import type { Context } from "./context.ts";

export async function sayOff(context: Context): Promise<void> {
  const off = await whyOff(context);
  if (off) context.out.narrate(offLine(off));
}
