/** Runs one situation in namespaces of its own, from outside. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { nodeFolder } from "./agent-clis.ts";
import type { Evidence, Order } from "./evidence.ts";

export const runSituation = (order: Order): Promise<Evidence> =>
  inNamespaces<Evidence>("inside.ts", order, `${order.agent}, ${order.situation}`);

/** `script`: of this folder, or by its whole path; it reads the order and writes evidence.json beside it. */
export async function inNamespaces<T>(
  script: string,
  order: Pick<Order, "folder" | "root">,
  title: string,
): Promise<T> {
  mkdirSync(order.folder, { recursive: true });
  const path = join(order.folder, "order.json");
  writeFileSync(path, JSON.stringify(order));
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const own = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const inside = [join(nodeFolder(order.root), "node"), resolve(import.meta.dirname, script), path];
  const child = spawn("unshare", [...user, ...own, "--", ...inside], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    said += piece;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${title}: ${said.slice(-2000)}`);
  return JSON.parse(readFileSync(join(order.folder, "evidence.json"), "utf8")) as T;
}
