/** How a newer git is got here: by the package manager that is on the path. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const MANAGERS: readonly (readonly [program: string, command: string])[] = [
  ["apt-get", "sudo apt-get install --yes git"],
  ["dnf", "sudo dnf install --assumeyes git"],
  ["apk", "sudo apk add git"],
  ["pacman", "sudo pacman -S --noconfirm git"],
  ["zypper", "sudo zypper install --no-confirm git"],
  ["brew", "brew install git"],
];

/** Where none of them is known. */
const BY_HAND = "xdg-open https://git-scm.com/downloads";

export function installGit(path: string): string {
  const folders = path.split(delimiter);
  const found = MANAGERS.find(([program]) => folders.some((folder) => existsSync(join(folder, program))));
  return found?.[1] ?? BY_HAND;
}
