import { describe, expect, it } from "vitest";
import type { StoredRecord } from "../../model/record.ts";
import { rateOf } from "./output-rate.ts";

const said = (atMs: number, text: string): StoredRecord =>
  ({ atMs, kind: "message.grew", body: { parts: [{ type: "text", text }] } }) as unknown as StoredRecord;

describe("the output rate of a session", () => {
  it("has every character in one of its stretches, the first and the last among them", () => {
    const rate = rateOf([said(1000, "abc"), said(1500, "d"), said(3000, "efgh")], 99);
    expect(rate?.chars.reduce((sum, one) => sum + one, 0)).toBe(8);
    expect([rate?.chars[0], rate?.chars.at(-1)]).toEqual([3, 4]);
    expect(rate).toMatchObject({
      from: new Date(1000).toISOString(),
      to: new Date(3000).toISOString(),
      left_out: false,
    });
  });

  it("D3: a clock that was set back draws a picture all the same, and nothing said is nothing", () => {
    expect(rateOf([said(5000, "ab"), said(1000, "c")], 99)?.chars.reduce((sum, one) => sum + one, 0)).toBe(3);
    expect(rateOf([said(1000, "ab")], 99)?.chars).toEqual([2]);
    expect(rateOf([said(1000, "")], 99)).toBeNull();
    expect(rateOf([said(1000, "a")], 1)?.left_out).toBe(true);
  });
});
