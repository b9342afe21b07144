/**
 * How to find out whether a call nobody saw end did happen (C4): for commands whose effect can be looked up, the
 * command that looks; for others the plain advice. Never run by us.
 */
import type { FoldedCall } from "../../conversation/fold.ts";
import { isJsonObject, type Json } from "../../model/json.ts";

const LOOKS: readonly (readonly [command: RegExp, look: string])[] = [
  [/\bgit\s+push\b/, "git fetch && git status -sb"],
  [/\bgit\s+(?:commit|merge|rebase|cherry-pick|revert|reset|pull)\b/, "git log --oneline -5 && git status"],
  [/\b(?:npm|pnpm|yarn)\s+publish\b/, "npm view . version"],
  [/\b(?:npm|pnpm|yarn)\s+(?:i|install|ci|add)\b/, "npm ls"],
  [/\bterraform\s+(?:apply|destroy)\b/, "terraform plan"],
  [/\bkubectl\s+(?:apply|create|delete|rollout|scale)\b/, "kubectl get all"],
  [/\bhelm\s+(?:install|upgrade|uninstall|rollback)\b/, "helm list -A"],
  [/\bdocker(?:\s+compose|-compose)?\s+(?:up|run|start|restart|stop|rm|down|push)\b/, "docker ps -a"],
  [/\bgh\s+pr\s+(?:create|merge|close)\b/, "gh pr status"],
  [/\bgh\s+release\s+create\b/, "gh release list"],
  [/\bsystemctl\s+(?:start|stop|restart|reload)\b/, "systemctl status"],
  [/\balembic\s+(?:upgrade|downgrade)\b/, "alembic current"],
  [/\b(?:prisma)\s+migrate\b/, "npx prisma migrate status"],
];

/** Null: it has a result, or it only reads, so there is nothing to find out. */
export function checkOf(call: FoldedCall, { isRunning }: { readonly isRunning: boolean }): string | null {
  const isOpen = call.result === null || call.result.isSynthetic;
  if (!isOpen || isRunning || call.effect === "none") return null;
  if (call.effect === "idempotent") return "doing it again gives the same state";
  const command = commandOf(call.input);
  const look = command === null ? undefined : LOOKS.find(([pattern]) => pattern.test(command))?.[1];
  if (look !== undefined) return look;
  return "look at its effect before it is done again: it may have happened, wholly or in part";
}

/** What a shell tool was told to run, as the agents of this field name that field. */
export function commandOf(input: Json): string | null {
  if (typeof input === "string") return input;
  if (!isJsonObject(input)) return null;
  for (const field of ["command", "cmd", "script"]) {
    const value = input[field];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.map(String).join(" ");
  }
  return null;
}
