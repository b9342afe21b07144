/** How the application hears of things: what it does with them must not stop the gateway. */
import { ensureError } from "../model/errors.ts";
import type { GatewayNotice, GatewayOptions } from "./options.ts";

export interface Teller {
  trouble(session: string | null, error: Error): void;
  notice(notice: GatewayNotice): void;
}

export function tellerOf({ onTrouble, onNotice }: Pick<GatewayOptions, "onTrouble" | "onNotice">): Teller {
  const trouble = (session: string | null, error: Error): void => {
    if (onTrouble) onTrouble({ session, error });
    else process.emitWarning(error);
  };
  return {
    trouble,
    notice: (notice) => {
      try {
        onNotice?.(notice);
      } catch (thrown) {
        trouble(notice.session, ensureError(thrown));
      }
    },
  };
}
