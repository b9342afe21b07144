/** Something that refers to what is not there. */
export interface BrokenReference {
  /** `untyped`: the source is there, and its types, which types mean, are not. */
  readonly kind: "missing-file" | "missing-export" | "unseen-name" | "untyped";
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  readonly names: readonly string[];
  /** Whether the file that refers is in the group. */
  readonly isOwn: boolean;
}
