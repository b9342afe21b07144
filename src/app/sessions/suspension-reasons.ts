/** Sessions that are listed, with why one is suspended told without secrets (T4): somebody typed it. Loads nothing where none is. */
import type { SessionSummary } from "../../session/describe.ts";

export async function reasonsWithoutSecrets(sessions: readonly SessionSummary[]): Promise<SessionSummary[]> {
  if (sessions.every((one) => one.suspended_for === undefined)) return [...sessions];
  const { withoutSecrets } = await import("../../text/without-secrets.ts");
  return Promise.all(
    sessions.map(async (one) => {
      if (one.suspended_for === undefined) return one;
      return { ...one, suspended_for: (await withoutSecrets(one.suspended_for)).value };
    }),
  );
}
