/** Whose process somebody is, for a face that is asked from elsewhere and for a long time (T2): by the marks that were there when it began. */
import { type Ports, pidsAtOtherEnd } from "../../platform/listening.ts";
import { judgedAbove, judgedSessions } from "../../workspace/trust/judged-session.ts";

/** Of this process: to be asked when it begins, for those that started it may be gone later. */
export const sessionsAbove = (env: NodeJS.ProcessEnv): readonly string[] => judgedSessions(env);

/** Of whoever is at the other end of a connection; empty: nobody's, or it cannot be told. */
export const sessionsAtOtherEnd = (ports: Ports): readonly string[] =>
  pidsAtOtherEnd(ports).flatMap(judgedAbove);
