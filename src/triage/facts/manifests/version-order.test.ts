import { describe, expect, it } from "vitest";
import { compareVersions } from "./version-order.ts";

const table: readonly [from: string, to: string, order: "down" | "up" | "same" | null][] = [
  ["v0.14.7", "v0.6.9", "down"],
  ["^2.0.0", "^10.0.0", "up"],
  ["~1.2.3", "1.2.3", "same"],
  ["1.0.0", "1.0.0-rc.1", "down"],
  ["1.0.0-rc.1", "1.0.0", "up"],
  [">=1.4,<2", ">=1.2,<2", "down"],
  ["==1.0rc1", "==1.0", "up"],
  ["==1.0", "==1.0.dev1", "down"],
  ["==1.0", "==1.0.post1", "up"],
  ["==2024.1", "==2023.12", "down"],
  ["22-slim", "20-slim", "down"],
  ["3.12-alpine", "3.9-alpine", "down"],
  ["v4", "v3", "down"],
  ["v4.1.0", "v4", "same"],
  ["latest", "1.0.0", null],
  ["workspace:*", "^1.0.0", null],
  ["0123456789012345678901234567890123456789", "v4", null],
  ["*", "^1.0.0", null],
];

describe("the order of versions", () => {
  it.each(table)("%s to %s: %s", (from, to, order) => {
    const found = compareVersions(from, to);
    expect(found === null ? null : found < 0 ? "down" : found > 0 ? "up" : "same").toBe(order);
  });
});
