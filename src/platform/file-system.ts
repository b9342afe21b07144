/**
 * Which file system a path is on, and whether SQLite's write-ahead log is safe there. The log needs shared
 * memory and locks that all its users see alike; network and host-shared file systems do not give that.
 */
import { existsSync, lstatSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { guarded, ifThere, readOrNull } from "./io-error.ts";

export interface FileSystem {
  readonly name: string;
  readonly isSafeForWal: boolean;
}

const FUSE = 0x65735546;

/** By the magic number of Linux's statfs(2): those on which the log is safe, */
const LINUX_SAFE: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x2fc12fc1, "zfs"],
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
  // Its upper layer is a local directory; the kernel refuses most remote ones there.
  [0x794c7630, "overlayfs"],
  [0xf2f52010, "f2fs"],
  [0xca451a4e, "bcachefs"],
  [0x3153464a, "jfs"],
  [0x52654973, "reiserfs"],
  [0x3434, "nilfs"],
  [0x4d44, "vfat"],
  [0x2011bab0, "exfat"],
  [0x7366746e, "ntfs3"],
  [0xf15f, "ecryptfs"],
  [0x4244, "hfs"],
  [0x482b, "hfsplus"],
  [0x4253584e, "apfs"],
]);
/** and those on which it is not. */
const LINUX_UNSAFE: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x01021997, "9p"],
  [FUSE, "fuse"],
  [0x5346414f, "afs"],
  [0x6b414653, "kafs"],
  [0x73757245, "coda"],
  [0x564c, "ncp"],
  [0x00c36400, "ceph"],
  [0x0bd00bd0, "lustre"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x47504653, "gpfs"],
  [0x19830326, "beegfs"],
  [0x20030528, "orangefs"],
  [0x61636673, "acfs"],
  [0xaad7aaea, "panfs"],
  [0xbeefdead, "snfs"],
  // Folders of the host, shown in a virtual machine or in a container on one.
  [0x786f4256, "vboxsf"],
  [0x7c7c6673, "prl_fs"],
  [0xbacbacbc, "vmhgfs"],
  [0x6a656a63, "fakeowner"],
]);

/** macOS numbers its file systems in order of registration; these have long been the same. */
const DARWIN_SAFE: ReadonlyMap<number, string> = new Map([
  [0x17, "hfs"],
  [0x1a, "apfs"],
]);
const DARWIN_UNSAFE: ReadonlyMap<number, string> = new Map([[0x02, "nfs"]]);

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
  const [safe, unsafe] =
    process.platform === "darwin" ? [DARWIN_SAFE, DARWIN_UNSAFE] : [LINUX_SAFE, LINUX_UNSAFE];
  const refused = unsafe.get(magic);
  if (refused === undefined)
    return { name: safe.get(magic) ?? `unknown(0x${magic.toString(16)})`, isSafeForWal: true };
  return { name: (magic === FUSE ? fuseName(existing) : null) ?? refused, isSafeForWal: false };
}

const statfsMagic = (existing: string): number => guarded(existing, () => statfsSync(existing).type);

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
  return readOrNull(() => fuseNameIn(readFileSync(TABLE, "utf8"), deviceOf(statSync(existing).dev)));
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
  const table = ifThere(TABLE, () => readFileSync(TABLE, "utf8")) ?? "";
  return mountPointsIn(table).filter((point) => point === folder || point.startsWith(`${folder}/`));
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
