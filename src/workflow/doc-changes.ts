/** What a repair changes, field by field, so that nothing is reset unseen (T1). Pure. */
import { isJsonObject, type Json } from "../model/json.ts";
import { isEqual } from "./rewrite-json.ts";
import { own } from "./state-doc.ts";

export interface FieldChange {
  /** `steps.2.status` */
  readonly path: string;
  /** Left out: there was no such field, or it could not be read. */
  readonly from?: Json;
  /** Left out: it is gone. */
  readonly to?: Json;
}

export function changesBetween(from: Json | undefined, to: Json | undefined, path = ""): FieldChange[] {
  if (from !== undefined && to !== undefined && isEqual(from, to)) return [];
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.flatMap((key) =>
      changesBetween(own(from, key), own(to, key), path === "" ? key : `${path}.${key}`),
    );
  }
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}
