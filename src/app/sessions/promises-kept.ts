/** Two promises of a session after its owner's death that are asked of the store itself, for whoever shows that they are kept. */
import { checkAnthropic } from "../../conversation/export/check-anthropic.ts";
import type { Session } from "../../conversation/session.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { newRecord } from "../../session/new-record.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Writes under an attempt that is over, as a process would that only seemed dead (K1). The code it is refused with; null: it was accepted. */
export async function lateWrite(
  { raw }: RefloatStore,
  session: SessionId,
  attempt: number,
): Promise<string | null> {
  const late = newRecord(raw.clock, "decided", { key: "late", value: true, reason: null, step: null });
  try {
    await raw.append(session, { attempt }, [late]);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    return thrown.code;
  }
}

export interface CheckedExport {
  readonly messages: number;
  /** What a model's API would object to; none: the conversation can be sent on. */
  readonly rejections: ReturnType<typeof checkAnthropic>;
}

export function checkedExport(session: Session): CheckedExport {
  const exported = session.export("anthropic");
  return {
    messages: exported.messages.length,
    rejections: checkAnthropic(exported, { forRequest: false }),
  };
}
