/** `store grants ROLE`: the SQL that gives a role what it needs of a shared store, and no more. Printed, never run. */
import { storeGrants } from "../../../app/upkeep/grants.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const role = textArgument(input, 0);
  if (role === null || role === "") throw usage("store grants wants the name of a role.");
  const { schema, rights, sql } = await storeGrants(context, role, textOption(input, "rights") ?? "writer");
  await context.out.result({
    command: "store-grants",
    json: { role, rights, in_schema: schema, sql },
    text: () => sql.split("\n"),
  });
  return EXIT.done;
}
