/** The gateway's chaos on PostgreSQL. */
import { freshSchema } from "../support/postgres.ts";
import { describeChaos } from "./chaos-sweep.ts";

describeChaos("PostgreSQL", () => {
  const { url, schema } = freshSchema();
  return { url, open: { schema } };
});
