/** What is mounted where, as this process sees it. A bind of the same file system has the same device: only this table tells. */
import { readFileSync } from "node:fs";
import { errnoOf, ioError } from "./io-error.ts";

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
