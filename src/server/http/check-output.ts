/**
 * What the user's check says while it runs, for who watches it: the end of it, again and again, without secrets. Only whole lines are shown, for half of a
 * secret is not known for one (T4); and never more than a page, however much it says (T5). The whole of what matters is in the verdicts.
 */
import { StringDecoder } from "node:string_decoder";
import { CHECK_HEARD_CHARS, CHECK_SHOWN_CHARS, CHECK_SHOWN_EVERY_MS } from "../../model/limits.ts";
import { redact } from "../../text/redact.ts";

export interface CheckWatch {
  /** Another run of it begins. */
  begin(line: CheckLine): void;
  hear(piece: Buffer): void;
  /** What came of it, after all that it said. */
  end(line: CheckLine): void;
  /** When everything was sent. */
  sent(): Promise<void>;
}

export type CheckLine = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Lines are sent in the order of what happened, though looking for secrets takes its time. */
export function watchCheck(send: (line: CheckLine) => void): CheckWatch {
  let decoder = new StringDecoder("utf8");
  let [heard, isCut, isNew] = ["", false, false];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> = Promise.resolve();
  let trouble: unknown = null;
  const inTurn = (work: () => void | Promise<void>): void => {
    sending = sending.then(work).catch((thrown: unknown) => {
      trouble ??= thrown;
    });
  };
  const show = (isAll: boolean): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (!isNew) return;
    isNew = false;
    const [lines, wasCut] = [isAll ? heard : heard.slice(0, heard.lastIndexOf("\n") + 1), isCut];
    inTurn(async () => {
      const { text } = await redact(lines);
      const end = text.slice(-CHECK_SHOWN_CHARS);
      const isShorter = end.length < text.length;
      send({ kind: "check-output", text: isShorter ? fromLine(end) : end, is_cut: wasCut || isShorter });
    });
  };
  return {
    begin: (line) => {
      show(true);
      decoder = new StringDecoder("utf8");
      [heard, isCut, isNew] = ["", false, false];
      inTurn(() => send(line));
    },
    hear: (piece) => {
      heard += decoder.write(piece);
      isNew = true;
      if (heard.length > CHECK_HEARD_CHARS)
        [heard, isCut] = [fromLine(heard.slice(-CHECK_HEARD_CHARS / 2)), true];
      timer ??= setTimeout(() => show(false), CHECK_SHOWN_EVERY_MS);
    },
    end: (line) => {
      show(true);
      inTurn(() => send(line));
    },
    // Redaction fails closed: who waits for the answer hears why.
    sent: async () => {
      await sending;
      if (trouble !== null) throw trouble;
    },
  };
}

/** A line whose beginning is gone goes whole: it may have been the name of a secret. */
const fromLine = (text: string): string => text.slice(text.indexOf("\n") + 1);
