/**
 * What a change asks of the things that are open, worked out before it is sent: the records of one change
 * may close what an earlier one of them opened (driver 4), so only what they ask of the state before them is
 * left for the server to check, in order, and only the difference they make for it to write.
 */
import type { OpenRef } from "../../model/record.ts";
import type { RawNewRecord } from "../contract/driver.ts";

export interface OpenCheck {
  readonly ref: OpenRef;
  /** `never`: the records before it in the same change contradict it, whatever the store holds. */
  readonly must: "be-open" | "not-be-open" | "never";
  readonly otherwise: "not-open" | "already-open" | "sent";
}

export interface OpenPlan {
  readonly checks: readonly OpenCheck[];
  readonly closes: readonly OpenRef[];
  /** With the position of the record in the change, from 1. */
  readonly opens: readonly { readonly ref: OpenRef; readonly position: number }[];
}

interface Thing {
  readonly ref: OpenRef;
  /** Null: not open after the records so far. */
  openedAt: number | null;
  /** It was there before this change and is no longer the same. */
  isStoredOneClosed: boolean;
}

export function planOpen(records: readonly RawNewRecord[]): OpenPlan {
  const checks: OpenCheck[] = [];
  const things = new Map<string, Thing>();
  const keyOf = (ref: OpenRef): string => JSON.stringify([ref.what, ref.id]);

  const needOpen = (ref: OpenRef): void => {
    const thing = things.get(keyOf(ref));
    if (!thing) checks.push({ ref, must: "be-open", otherwise: "not-open" });
    else if (thing.openedAt === null) checks.push({ ref, must: "never", otherwise: "not-open" });
  };
  const needClosed = (ref: OpenRef): void => {
    const thing = things.get(keyOf(ref));
    if (!thing) checks.push({ ref, must: "not-be-open", otherwise: "already-open" });
    else if (thing.openedAt !== null) checks.push({ ref, must: "never", otherwise: "already-open" });
  };

  const needAbsent = (ref: OpenRef): void => {
    const thing = things.get(keyOf(ref));
    if (!thing) checks.push({ ref, must: "not-be-open", otherwise: "sent" });
    else if (thing.openedAt !== null) checks.push({ ref, must: "never", otherwise: "sent" });
  };

  for (const [i, { needs, closes, within, opens, unlessOpen }] of records.entries()) {
    if (unlessOpen) needAbsent(unlessOpen);
    if (needs) needOpen(needs);
    if (closes) needOpen(closes);
    if (within) needOpen(within);
    if (closes) {
      const known = things.get(keyOf(closes));
      things.set(keyOf(closes), {
        ref: closes,
        openedAt: null,
        isStoredOneClosed: known?.isStoredOneClosed ?? true,
      });
    }
    if (opens) {
      needClosed(opens);
      const known = things.get(keyOf(opens));
      things.set(keyOf(opens), {
        ref: opens,
        openedAt: i + 1,
        isStoredOneClosed: known?.isStoredOneClosed ?? false,
      });
    }
  }

  const touched = [...things.values()];
  return {
    checks,
    closes: touched.filter((thing) => thing.isStoredOneClosed).map((thing) => thing.ref),
    opens: touched.flatMap(({ ref, openedAt }) => (openedAt === null ? [] : [{ ref, position: openedAt }])),
  };
}
