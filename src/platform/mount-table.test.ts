import { expect, it } from "vitest";
import { mountPointsIn, mountsWithin } from "./mount-table.ts";

it("reads mount points with spaces, tabs, line breaks and backslashes in their names", () => {
  const table = [
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "40 27 0:21 /a\\040b /mnt/a\\040b\\011c\\012d\\134e ro,relatime shared:1 - tmpfs tmpfs rw",
    "",
  ].join("\n");
  expect(mountPointsIn(table)).toEqual(["/", "/mnt/a b\tc\nd\\e"]);
});

it("finds what is mounted at or below a folder, and not beside it", () => {
  expect(mountsWithin("/pro")).toEqual([]);
  if (process.platform === "linux") expect(mountsWithin("/proc")).toContain("/proc");
});
