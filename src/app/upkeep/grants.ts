/** The script that gives a role its rights on a shared store. Nothing is asked of the server, and nothing is changed: its owner runs it. */
import { RefloatError } from "../../model/errors.ts";
import { isPostgres } from "../../platform/store-address.ts";
import { grantsSql, STORE_RIGHTS, type StoreRights } from "../../store/postgres/grants.ts";
import { postgresPlace } from "../../store/postgres/server-address.ts";
import type { AppPlace } from "../place/app-place.ts";

export interface StoreGrants {
  readonly schema: string;
  readonly rights: StoreRights;
  readonly sql: string;
}

/** `typed`: which rights, as they were typed; E_USAGE for a word that is none. */
export async function storeGrants(
  at: Pick<AppPlace, "storeAddress" | "env">,
  role: string,
  typed: string,
): Promise<StoreGrants> {
  const rights = STORE_RIGHTS.find((one) => one === typed);
  if (!rights)
    throw new RefloatError("E_USAGE", { why: `--rights wants ${STORE_RIGHTS.join(" or ")}, not ${typed}.` });
  const address = await at.storeAddress();
  if (!isPostgres(address))
    throw new RefloatError("E_UNSUPPORTED", {
      what: address,
      why: "a file knows no roles: who may read it is said by its own mode, 0600",
      instead: "Give the address of a server with --store postgres://...",
    });
  const { schema } = postgresPlace(address, { env: at.env });
  return { schema, rights, sql: grantsSql(schema, role, rights) };
}
