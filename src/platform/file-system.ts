/**
 * Which file system a path is on, and whether SQLite's write-ahead log is safe there. The log needs shared
 * memory and locks that all its users see alike; network and host-shared file systems do not give that.
 */
import { existsSync, lstatSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errnoOf, ioError } from "./io-error.ts";

export interface FileSystem {
  readonly name: string;
  readonly isSafeForWal: boolean;
}

const safe = (name: string): FileSystem => ({ name, isSafeForWal: true });
const unsafe = (name: string): FileSystem => ({ name, isSafeForWal: false });

const FUSE = 0x65735546;

/** By the magic number of Linux's statfs(2). */
const LINUX: ReadonlyMap<number, FileSystem> = new Map([
  [0xef53, safe("ext")],
  [0x58465342, safe("xfs")],
  [0x9123683e, safe("btrfs")],
  [0x2fc12fc1, safe("zfs")],
  [0x01021994, safe("tmpfs")],
  [0x858458f6, safe("ramfs")],
  // Its upper layer is a local directory; the kernel refuses most remote ones there.
  [0x794c7630, safe("overlayfs")],
  [0xf2f52010, safe("f2fs")],
  [0xca451a4e, safe("bcachefs")],
  [0x3153464a, safe("jfs")],
  [0x52654973, safe("reiserfs")],
  [0x3434, safe("nilfs")],
  [0x4d44, safe("vfat")],
  [0x2011bab0, safe("exfat")],
  [0x7366746e, safe("ntfs3")],
  [0xf15f, safe("ecryptfs")],
  [0x4244, safe("hfs")],
  [0x482b, safe("hfsplus")],
  [0x4253584e, safe("apfs")],
  [0x6969, unsafe("nfs")],
  [0x517b, unsafe("smb")],
  [0xff534d42, unsafe("cifs")],
  [0xfe534d42, unsafe("smb2")],
  [0x01021997, unsafe("9p")],
  [FUSE, unsafe("fuse")],
  [0x5346414f, unsafe("afs")],
  [0x6b414653, unsafe("kafs")],
  [0x73757245, unsafe("coda")],
  [0x564c, unsafe("ncp")],
  [0x00c36400, unsafe("ceph")],
  [0x0bd00bd0, unsafe("lustre")],
  [0x01161970, unsafe("gfs2")],
  [0x7461636f, unsafe("ocfs2")],
  [0x47504653, unsafe("gpfs")],
  [0x19830326, unsafe("beegfs")],
  [0x20030528, unsafe("orangefs")],
  [0x61636673, unsafe("acfs")],
  [0xaad7aaea, unsafe("panfs")],
  [0xbeefdead, unsafe("snfs")],
  // Folders of the host, shown in a virtual machine or in a container on one.
  [0x786f4256, unsafe("vboxsf")],
  [0x7c7c6673, unsafe("prl_fs")],
  [0xbacbacbc, unsafe("vmhgfs")],
  [0x6a656a63, unsafe("fakeowner")],
]);

/** macOS numbers its file systems in order of registration; these have long been the same. */
const DARWIN: ReadonlyMap<number, FileSystem> = new Map([
  [0x02, unsafe("nfs")],
  [0x17, safe("hfs")],
  [0x1a, safe("apfs")],
]);

/** Where permission bits are made up by the mount or come from another system: a mode there says nothing. */
const WITHOUT_MODES: ReadonlySet<string> = new Set([
  "vfat",
  "exfat",
  "ntfs3",
  "smb",
  "cifs",
  "smb2",
  "vboxsf",
  "prl_fs",
  "vmhgfs",
  "fakeowner",
  "ncp",
]);

/** Whether a file's permission bits are what somebody set. An unknown file system is not believed. */
export function keepsModes({ name }: FileSystem): boolean {
  return !WITHOUT_MODES.has(name) && !name.startsWith("unknown");
}

/** `path` need not exist yet: then its nearest existing parent decides. */
export function fileSystemOf(path: string, magicOf: (existing: string) => number = statfsMagic): FileSystem {
  const existing = nearestExisting(path);
  // As unsigned 32 bits: where the field is signed, half of the numbers come out negative.
  const magic = magicOf(existing) >>> 0;
  const known = (process.platform === "darwin" ? DARWIN : LINUX).get(magic);
  if (known === undefined) return safe(`unknown(0x${magic.toString(16)})`);
  return magic === FUSE ? unsafe(fuseName(existing) ?? known.name) : known;
}

function statfsMagic(existing: string): number {
  try {
    return statfsSync(existing).type;
  } catch (thrown) {
    throw ioError(thrown, existing);
  }
}

function nearestExisting(path: string): string {
  let existing = resolve(path);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

/**
 * What kind of FUSE it is (virtiofs, fuse.sshfs, ...), for the sentence a person reads; null where the mount
 * table does not tell. Mounts are found by device number, so no path needs decoding.
 */
function fuseName(existing: string): string | null {
  try {
    const device = deviceOf(statSync(existing).dev);
    return fuseNameIn(readFileSync("/proc/self/mountinfo", "utf8"), device);
  } catch (_unreadable) {
    return null;
  }
}

/** `device` is "major:minor", the third field of a line; the type follows the separating dash. */
export function fuseNameIn(mountinfo: string, device: string): string | null {
  for (const line of mountinfo.split("\n")) {
    if (line.split(" ", 3)[2] !== device) continue;
    const type = / - (\S+)/.exec(line)?.[1];
    if (type !== undefined && /^(fuse|virtiofs)/.test(type)) return type;
  }
  return null;
}

function deviceOf(dev: number): string {
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  return `${major}:${minor}`;
}

/** Whether a name in other letters is the same file here: asked of a name that is there, without writing anything. */
export function isCaseBlind(folder: string, name: string): boolean {
  const other = [...name].map((letter) => swapped(letter)).join("");
  if (other === name) return false;
  const [a, b] = [name, other].map((one) => lstatSync(join(folder, one), { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

const swapped = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

/** What is mounted where, as this process sees it. A bind of the same file system has the same device: only this table tells. */
const TABLE = "/proc/self/mountinfo";

/** Mount points at or below a folder (its real path); none where the platform has no such table. */
export function mountsWithin(folder: string): string[] {
  return mountPointsIn(readTable()).filter((point) => point === folder || point.startsWith(`${folder}/`));
}

function readTable(): string {
  try {
    return readFileSync(TABLE, "utf8");
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return "";
    throw ioError(thrown, TABLE);
  }
}

/** The fifth field of a line; space, tab, line break and backslash in it are octal. */
export function mountPointsIn(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const point = line.split(" ", 5)[4];
    return point === undefined
      ? []
      : [
          point.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
            String.fromCharCode(Number.parseInt(octal, 8)),
          ),
        ];
  });
}
