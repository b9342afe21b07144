import { join } from "node:path";
import { expect, it, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { fileSystemOf, fuseNameIn, mountPointsIn, mountsWithin } from "./file-system.ts";

test.each([
  ["nfs", 0x6969],
  ["smb", 0x517b],
  ["cifs", 0xff534d42],
  ["smb2", 0xfe534d42],
  ["9p", 0x01021997],
  ["fuse", 0x65735546],
  ["afs", 0x5346414f],
  ["ceph", 0x00c36400],
  ["lustre", 0x0bd00bd0],
  ["gfs2", 0x01161970],
  ["ocfs2", 0x7461636f],
  ["vboxsf", 0x786f4256],
  ["prl_fs", 0x7c7c6673],
])("%s is told by its number and is not safe for SQLite's log", (name, magic) => {
  expect(fileSystemOf("/", () => magic)).toEqual({ name, isSafeForWal: false });
});

test("a number that comes out negative is the same file system, not an unknown and so safe one", () => {
  expect(fileSystemOf("/", () => 0xff534d42 | 0)).toEqual({ name: "cifs", isSafeForWal: false });
});

test.each([
  ["ext", 0xef53],
  ["xfs", 0x58465342],
  ["btrfs", 0x9123683e],
  ["zfs", 0x2fc12fc1],
  ["tmpfs", 0x01021994],
  ["overlayfs", 0x794c7630],
  ["f2fs", 0xf2f52010],
  ["bcachefs", 0xca451a4e],
])("%s is told by its number and is safe", (name, magic) => {
  expect(fileSystemOf("/", () => magic)).toEqual({ name, isSafeForWal: true });
});

test("an unknown number is named as such and is not refused", () => {
  expect(fileSystemOf("/", () => 0xabc)).toEqual({ name: "unknown(0xabc)", isSafeForWal: true });
});

test("of a path that does not exist yet the nearest existing parent is asked", () => {
  const folder = temporaryFolder();
  const asked: string[] = [];
  fileSystemOf(join(folder, "not", "yet", "refloat.db"), (existing) => {
    asked.push(existing);
    return 0xef53;
  });
  expect(asked).toEqual([folder]);
});

test("real file systems are asked through statfs", () => {
  expect(fileSystemOf(temporaryFolder()).isSafeForWal).toBe(true);
  expect(fileSystemOf("/dev/shm/not-there")).toEqual({ name: "tmpfs", isSafeForWal: true });
});

const MOUNTS = [
  "22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw",
  "30 28 0:44 / /mnt/with\\040space rw,relatime - virtiofs host rw",
  "31 28 0:45 / /home/me/far rw shared:9 - fuse.sshfs me@far:/ rw,user_id=0",
  "32 28 8:1 / /data rw - ext4 /dev/sda1 rw",
].join("\n");

test.each([
  ["0:44", "virtiofs"],
  ["0:45", "fuse.sshfs"],
  ["8:1", null],
  ["0:4", null],
])("the mount table names the FUSE of device %s as %s", (device, name) => {
  expect(fuseNameIn(MOUNTS, device)).toBe(name);
});

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
