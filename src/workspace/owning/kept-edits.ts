/**
 * A call's edits as its record keeps them. What stands in the call's input already is not written a second time: a place in the input stands
 * for its text. Bounded: edits that are too long are kept as changes nobody can repeat. Pure.
 */
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { KEPT_EDIT_CHARS, KEPT_EDITS } from "../../model/limits.ts";
import type { KeptEdit, PatchHunk, PatchLine } from "../../model/recorded-edit.ts";

/** Shorter texts are written as they are. */
const MIN_PLACED_CHARS = 48;
/** Inputs are flat, or have a list of edits in them. */
const MAX_DEPTH = 3;

/** As it stands in the record. */
type PackedEdit = JsonObject & { readonly kind: string; readonly path: string };

type Place = readonly (string | number)[];

export function packEdits(edits: readonly KeptEdit[], input: Json): PackedEdit[] {
  const places = new Map<string, Place>();
  findTexts(input, [], places);
  const placed = (text: string): Json => {
    const place = places.get(text);
    return place === undefined ? text : { at: [...place] };
  };
  let chars = 0;
  const packed = edits.slice(0, KEPT_EDITS).map((edit) => {
    const one = packEdit(edit, placed);
    chars += JSON.stringify(one).length;
    return chars > KEPT_EDIT_CHARS ? { kind: "unknown", path: edit.path } : one;
  });
  const left = new Set(edits.slice(KEPT_EDITS).map(({ path }) => path));
  return [...packed, ...[...left].slice(0, KEPT_EDITS).map((path) => ({ kind: "unknown", path }))];
}

function findTexts(value: Json, place: Place, into: Map<string, Place>): void {
  if (typeof value === "string") {
    if (value.length >= MIN_PLACED_CHARS && !into.has(value)) into.set(value, place);
  } else if (place.length < MAX_DEPTH) {
    const inside = Array.isArray(value) ? value.entries() : isJsonObject(value) ? Object.entries(value) : [];
    for (const [name, one] of inside) if (one !== undefined) findTexts(one, [...place, name], into);
  }
}

function packEdit(edit: KeptEdit, placed: (text: string) => Json): PackedEdit {
  const { kind, path } = edit;
  switch (edit.kind) {
    case "unknown":
    case "delete":
      return { kind, path };
    case "move":
      return { kind, path, to: edit.to };
    case "append":
      return { kind, path, text: placed(edit.text) };
    case "write":
      return { kind, path, text: placed(edit.after) };
    case "insert":
      return { kind, path, line: edit.afterLine, text: placed(edit.text) };
    case "replace":
      return {
        ...{ kind, path, old: placed(edit.old), text: placed(edit.new) },
        ...(edit.everywhere ? { everywhere: true } : {}),
        ...(edit.mayTakeEnd ? { may_take_end: true } : {}),
        ...(edit.areLineEndsLost ? { ends_lost: true } : {}),
      };
    case "patch":
      return {
        ...{ kind, path, hunks: edit.hunks.map(packHunk) },
        ...(edit.areLineEndsLost ? { ends_lost: true } : {}),
      };
  }
}

const packHunk = ({ below, lines, isAtEnd }: PatchHunk): JsonObject => ({
  lines: lines.map(({ sign, text }) => sign + text),
  ...(below.length > 0 ? { below: [...below] } : {}),
  ...(isAtEnd ? { at_end: true } : {}),
});

/** What cannot be understood is a change that cannot be repeated: a newer version wrote it, or somebody who is none. */
export function unpackEdits(kept: readonly JsonObject[], input: Json | undefined): KeptEdit[] {
  return kept.flatMap((one) => {
    const path = typeof one.path === "string" ? one.path : null;
    return path === null ? [] : [unpackEdit(one, path, input) ?? { kind: "unknown" as const, path }];
  });
}

function unpackEdit(one: JsonObject, path: string, input: Json | undefined): KeptEdit | null {
  const text = textAt(one.text, input);
  const lost = one.ends_lost === true ? { areLineEndsLost: true as const } : {};
  switch (one.kind) {
    case "delete":
      return { kind: "delete", path };
    case "move":
      return typeof one.to === "string" ? { kind: "move", path, to: one.to } : null;
    case "append":
      return text === null ? null : { kind: "append", path, text };
    case "write":
      return text === null ? null : { kind: "write", path, after: text };
    case "insert":
      return text === null || typeof one.line !== "number"
        ? null
        : { kind: "insert", path, afterLine: one.line, text };
    case "replace": {
      const old = textAt(one.old, input);
      if (text === null || old === null) return null;
      const end = one.may_take_end === true ? { mayTakeEnd: true as const } : {};
      return { kind: "replace", path, old, new: text, everywhere: one.everywhere === true, ...end, ...lost };
    }
    case "patch": {
      const hunks = Array.isArray(one.hunks) ? one.hunks.map(unpackHunk) : [null];
      return hunks.some((hunk) => hunk === null)
        ? null
        : { kind: "patch", path, hunks: hunks as PatchHunk[], ...lost };
    }
    default:
      return null;
  }
}

function unpackHunk(hunk: Json): PatchHunk | null {
  if (!isJsonObject(hunk) || !Array.isArray(hunk.lines)) return null;
  const lines = hunk.lines.flatMap((line): PatchLine[] => {
    const sign = typeof line === "string" ? line[0] : undefined;
    const isLine = sign === " " || sign === "-" || sign === "+";
    return isLine ? [{ sign, text: (line as string).slice(1) }] : [];
  });
  const below = Array.isArray(hunk.below)
    ? hunk.below.filter((line): line is string => typeof line === "string")
    : [];
  const isWhole = lines.length === hunk.lines.length;
  return isWhole ? { below, lines, ...(hunk.at_end === true ? { isAtEnd: true } : {}) } : null;
}

/** Null: it is not there. Only a list or a plain field leads on, never what every object has. */
function textAt(value: Json | undefined, input: Json | undefined): string | null {
  if (typeof value === "string") return value;
  if (!isJsonObject(value) || !Array.isArray(value.at) || value.at.length > MAX_DEPTH) return null;
  let here: Json | undefined = input;
  for (const step of value.at) {
    if (Array.isArray(here) && typeof step === "number") here = here[step];
    else if (isJsonObject(here) && typeof step === "string" && Object.hasOwn(here, step)) here = here[step];
    else return null;
  }
  return typeof here === "string" ? here : null;
}
