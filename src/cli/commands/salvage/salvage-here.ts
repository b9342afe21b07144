/** What judging is for a command that was typed: with a bar, his signals, and news on stderr. */
import type { SalvageFace } from "../../../app/salvage/salvage-session.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import { watched } from "../../context/watched.ts";

export const salvageFace = (context: Context): SalvageFace => ({
  tell: teller(context),
  progress: watched(context),
  untilStopped: untilSignalled,
});
