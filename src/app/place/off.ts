/** Whether refloat is switched off where somebody stands: by REFLOAT_OFF=1 for everything, or by a config for one repository. */
import { RefloatError } from "../../model/errors.ts";
import { leftAloneBy } from "../../workspace/opening/left-alone.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import type { AppPlace } from "./app-place.ts";

export type WhyOff = { readonly kind: "off" } | { readonly kind: "left-alone"; readonly by: string };

export const isOff = (env: Readonly<Record<string, string | undefined>>): boolean => env.REFLOAT_OFF === "1";

/** Null: it is on. */
export async function whyOff(at: Pick<AppPlace, "env" | "place">): Promise<WhyOff | null> {
  if (isOff(at.env)) return { kind: "off" };
  try {
    // Without a store, so without trust: only its config is read.
    const by = await leftAloneBy(openTrusted(null, at.place(), at.env), at.env);
    return by === null ? null : { kind: "left-alone", by };
  } catch (thrown) {
    // A repository that may not be entered is told of by whoever enters it.
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

/** Of what others rely on: it is refused, not passed over. Throws E_OFF, E_LEFT_ALONE. */
export async function assertOn(at: Pick<AppPlace, "env" | "place">, what: string): Promise<void> {
  const why = await whyOff(at);
  if (why?.kind === "off") throw new RefloatError("E_OFF", { what });
  if (why) {
    const said = `\`${what}\` has not been done`;
    throw new RefloatError("E_LEFT_ALONE", { path: at.place(), by: why.by, what: said });
  }
}
