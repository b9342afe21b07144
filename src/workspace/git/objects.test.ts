import { describe, expect, it } from "vitest";
import { blobBatches } from "./objects.ts";

const MB = 1024 * 1024;
const batches = (sizes: readonly number[]): number[][] => blobBatches(sizes, (size) => size);

describe("batches of blobs", () => {
  it("hold as much as fits, in order, and nothing is left out or read twice", () => {
    expect(batches([3 * MB, MB, 1, 3 * MB, MB])).toEqual([[3 * MB, MB], [1, 3 * MB], [MB]]);
  });

  it("take one that is too large by itself, and never with another", () => {
    expect(batches([1, 40 * MB, 1])).toEqual([[1], [40 * MB], [1]]);
  });

  it("are none for nothing", () => {
    expect(batches([])).toEqual([]);
  });
});
