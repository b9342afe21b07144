/** `store rekey`: every content sealed by the first key of REFLOAT_KEY_FILE. Killed in the middle, it goes on. */
import { rekey } from "../../../app/upkeep/rekey.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count } from "../../screen/words.ts";

export async function run(context: Context): Promise<CommandEnd> {
  const { key, chunks, resealed, damaged } = await rekey(context);
  await context.out.result({
    command: "store-rekey",
    json: { key, chunks, resealed, damaged },
    text: () => [
      `${count(resealed, "chunk")} of ${chunks} sealed anew by the key ${key}; the others were already.`,
      ...(damaged === 0
        ? []
        : [`Left as they are, because they are damaged: ${damaged}. \`refloat store check\` tells which.`]),
    ],
  });
  return EXIT.done;
}
