/** A key of a config that means nothing is said once a command, however often the config is read (T1). */
import type { OnUnknownKey } from "../../text/read-config-text.ts";
import { unknownKeyText } from "../../text/unknown-config-keys.ts";
import { oneLine } from "../screen/words.ts";
import type { Context } from "./context.ts";

export function tellsUnknownKeys({ out }: Context): OnUnknownKey {
  const said = new Set<string>();
  return (key) => {
    const line = oneLine(unknownKeyText(key));
    if (said.has(line)) return;
    said.add(line);
    out.narrate(line);
  };
}
