/** What is held of a tree as it was before a call that may destroy, or that nothing is: said alike wherever the call is shown (S7, T6). */
import type { z } from "zod";
import type { beforeImage } from "../model/agent-kinds.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { oneLine, shellLineWord } from "./escape.ts";
import { shortId } from "./short-id.ts";

export type HeldBefore = z.infer<typeof beforeImage>;

/** As a record has it; null: it says nothing of the kind. */
export function heldBeforeIn(value: Json | undefined): HeldBefore | null {
  if (!isJsonObject(value)) return null;
  const { kind, capture, also, without, reason } = value;
  if (kind === "none" && typeof reason === "string") return { kind, reason };
  if (kind !== "held" || typeof capture !== "string") return null;
  return {
    ...{ kind, capture },
    ...(Array.isArray(also) ? { also: also.map(String) } : {}),
    ...(Array.isArray(without) ? { without: without.map(String) } : {}),
  };
}

export interface BeforeParts {
  readonly what: string;
  /** Commands, or the reason. Whoever prints them on a screen turns `refloat` into what can be typed there. */
  readonly said: readonly string[];
}

export const beforeParts = (image: HeldBefore): BeforeParts =>
  image.kind === "held"
    ? {
        what: "held before it",
        said: [
          ...(image.without ?? []).map((path) => `not ${oneLine(path)}`),
          ...[image.capture, ...(image.also ?? [])].map(restoring),
        ],
      }
    : { what: "no before-image", said: [oneLine(image.reason)] };

export const beforeWords = (image: HeldBefore): string => {
  const { what, said } = beforeParts(image);
  return `${what}: ${said.join(", ")}`;
};

const restoring = (capture: string): string => `refloat restore ${shellLineWord(shortId(capture))}`;
