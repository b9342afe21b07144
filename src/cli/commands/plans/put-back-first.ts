/** A session's held work, put into the tree it is gone on in (held.ts): asked about as every act. */
import type { ActPlace } from "../../../app/acts/act.ts";
import { putBackFirst as putBack } from "../../../app/acts/held.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { asks } from "./act.ts";

/** `isTold`: it was said already that it shall be put back. */
export const putBackFirst = (
  context: Context,
  place: ActPlace,
  row: SessionRow,
  { isTold = false }: { readonly isTold?: boolean } = {},
): Promise<void> => putBack(place, row, isTold ? null : asks(context, "restore"), teller(context));
