/** What following a reference comes to, in any language. */
export type FollowedReference =
  /** A package, a builtin, something out of the workspace: not ours to follow. */
  | { readonly kind: "outside" }
  /** `place`: where it would be, where its name does not say so. */
  | { readonly kind: "missing-file"; readonly place?: string }
  /** Ours by its name, and what it means cannot be told. */
  | { readonly kind: "uncertain" }
  | {
      readonly kind: "found";
      /** What a build may mean by it (script-target.ts): none of its names is called missing. */
      readonly isGuess?: boolean;
      readonly paths: readonly string[];
      readonly missing: readonly string[];
      /** Names of a file whose exports cannot be read off, and that does not even mention them. */
      readonly unseen: readonly string[];
    };
