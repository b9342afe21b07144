import { expect, it } from "vitest";
import { type RecordedEvent, twinOf } from "./twin-event.ts";

const PROCESS = { boot: "633fa100", pid: 7, started: 70, comm: "claude" };
let count = 0;

function told(uptime: number, event: string, heard: object[], more: object = {}): RecordedEvent {
  count += 1;
  const id = `633fa100-${String(uptime).padStart(10, "0")}-${count}`;
  const body = { agent: "gemini", event, native_id: "n", cwd: "/w", child: null, heard, process: PROCESS };
  return { id, body: { ...body, ...more } as RecordedEvent["body"] };
}

const call = (id: string): object => ({ kind: "call", id });
const result = (id: string): object => ({ kind: "result", call: id });

it("D4: what two entries tell of one event is one, calls side by side between them or not", () => {
  const first = told(500, "BeforeTool", [call("t1")]);
  const beside = told(501, "BeforeTool", [call("t2")]);
  expect(twinOf(told(520, "BeforeTool", [call("t1")]), [beside, first])).toBe(first);
  expect(twinOf(told(530, "AfterTool", [result("t1")]), [beside, first])).toBeNull();
});

it("D4: a call without an id of its agent's that is made again is another one, and so is its end", () => {
  const [before, after] = [
    told(500, "BeforeTool", [call("made-1")]),
    told(510, "AfterTool", [result("made-1")]),
  ];
  const again = told(520, "BeforeTool", [call("made-1")]);
  expect(twinOf(again, [after, before])).toBeNull();
  expect(twinOf(told(530, "AfterTool", [result("made-1")]), [again, after, before])).toBeNull();
  expect(twinOf(told(505, "BeforeTool", [call("made-1")]), [before])).toBe(before);
});

it("K1: the same words later, of another process, after a restart of the machine or of nobody known are told anew", () => {
  const first = told(500, "Stop", [{ kind: "turn-ended" }]);
  expect(twinOf(told(900, "Stop", [{ kind: "turn-ended" }]), [first])).toBeNull();
  const process = { ...PROCESS, pid: 8 };
  expect(twinOf(told(510, "Stop", [{ kind: "turn-ended" }], { process }), [first])).toBeNull();
  expect(twinOf(told(510, "Stop", [{ kind: "turn-ended" }], { process: null }), [first])).toBeNull();
  const { body } = told(510, "Stop", [{ kind: "turn-ended" }]);
  expect(twinOf({ id: "aaaaaaaa-0000000510-x", body }, [first])).toBeNull();
  expect(twinOf({ id: "633fa100-0000000510-x", body }, [first])).toBe(first);
});
