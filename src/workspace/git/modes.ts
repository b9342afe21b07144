/** The modes git gives its entries: what kind of thing each is, and of a file whether it can be run. Pure. */
export const FILE = 0o100644;
export const RUNNABLE = 0o100755;
export const SYMLINK = 0o120000;
export const GITLINK = 0o160000;

const KIND_BITS = 0o170000;

interface WithMode {
  readonly mode: number;
}

/** Old repositories have other permission bits than these two: only the kind is asked for. */
export const isRegular = ({ mode }: WithMode): boolean => (mode & KIND_BITS) === (FILE & KIND_BITS);
export const isSymlink = ({ mode }: WithMode): boolean => (mode & KIND_BITS) === SYMLINK;
export const isSubmodule = ({ mode }: WithMode): boolean => (mode & KIND_BITS) === GITLINK;
