/** What the session somebody means left, for a command that was typed: with a bar, his signals, and news on stderr. */

import {
  type SalvagedSession,
  type SalvageFace,
  type SalvageSessionOptions,
  salvageSession,
} from "../../../app/salvage/salvage-session.ts";
import type { ChosenSession } from "../../../app/sessions/choose-session.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import { watched } from "../../context/watched.ts";

export type { SalvagedSession as SalvageHere, SalvageSessionOptions as SalvageHereOptions };

export const salvageHere = (
  context: Context,
  session: ChosenSession,
  options: SalvageSessionOptions = {},
): Promise<SalvagedSession> => salvageSession(context, session, options, salvageFace(context));

export const salvageFace = (context: Context): SalvageFace => ({
  tell: teller(context),
  progress: watched(context),
  untilStopped: untilSignalled,
});
