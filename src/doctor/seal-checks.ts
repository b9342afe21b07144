/** The doctor's rows about sealed contents: whether they are, as the keys that were given say, and whether those open them (docs/encryption.md). */
import type { DoctorCheck, SealingFacts } from "./facts.ts";

const seenOf = ({ looked }: SealingFacts): string =>
  `of the ${looked} pieces of contents that were looked at`;

export const SEAL_CHECKS = [
  {
    id: "contents-locked",
    severity: "warning",
    about: "Contents are sealed by a key that was not given, or that is another one of its name.",
    question: "Can every content be opened?",
    command: "REFLOAT_KEY_FILE=~/.refloat-keys refloat doctor",
    find: ({ store: { sealing } }) =>
      sealing && sealing.locked > 0
        ? [{ message: `${sealing.locked} ${seenOf(sealing)} cannot be opened: ${sealing.why}` }]
        : [],
  },
  {
    id: "contents-open",
    severity: "warning",
    about: "A key is given, and contents lie open or are sealed by an older one.",
    question: "Are all contents sealed by the key that seals now?",
    command: "refloat store rekey",
    find: ({ store: { sealing } }) =>
      sealing?.key && sealing.open + sealing.older > 0
        ? [
            {
              message: `${sealing.open} ${seenOf(sealing)} lie open, ${sealing.older} are sealed by an older key than ${sealing.key}.`,
            },
          ]
        : [],
  },
  {
    id: "contents-sealed",
    severity: "info",
    about: "Contents are sealed, all by the key that seals now; records are not.",
    question: "Do contents lie open, with no key given?",
    command: "refloat store rekey",
    find: ({ store: { sealing } }) =>
      sealing?.key && sealing.looked > 0 && sealing.open + sealing.older + sealing.locked === 0
        ? [
            {
              message: `All ${seenOf(sealing).slice("of ".length)} are sealed by the key ${sealing.key}; bodies of records up to 256 KiB are not (docs/encryption.md).`,
            },
          ]
        : [],
  },
] as const satisfies readonly DoctorCheck[];
