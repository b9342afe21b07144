/** The library: re-exports only. See docs/library.md and examples/. */

export { openGateway } from "./app/run/open-gateway.ts";
export { openStore, type RefloatStore } from "./app/store/open-store.ts";
export type { BeginOptions } from "./conversation/begin.ts";
export type { Call } from "./conversation/call.ts";
export type { Recovered } from "./conversation/close-left-open.ts";
export type { ExportFormat, Exports } from "./conversation/export/export-as.ts";
export type { MessageStream } from "./conversation/message-stream.ts";
export type { Operation } from "./conversation/operation.ts";
export type { CaptureReceipt, FoundSession, Session, SupersedeOptions } from "./conversation/session.ts";
export type { CallOptions, MessageOptions, Turn } from "./conversation/turn.ts";
export type { LeaveReason } from "./gateway/decide-resume.ts";
export type { DrainEnd, Gateway, GatewayStart } from "./gateway/gateway.ts";
export type { FoundInstance } from "./gateway/gateway-journal.ts";
export type {
  Answer,
  Confirmation,
  Delivery,
  DeliveryEnd,
  GatewayNotice,
  GatewayOptions,
  GatewayReceipt,
  GatewayTurn,
  Inbound,
  Interrupted,
  Trouble,
  TurnInput,
  TurnLeft,
  WaitsFor,
} from "./gateway/options.ts";
export type { GatewayPolicy } from "./gateway/policy.ts";
export { type ErrorCode, RefloatError } from "./model/errors.ts";
export type { Json } from "./model/json.ts";
export type { Owner } from "./model/owner.ts";
export type { Input, Part, QueuedInput, Receipt, Role } from "./model/parts.ts";
export type { Effect, StoredRecord, SupersedeReason, TurnOutcome } from "./model/record.ts";
export type { View, ViewCall, ViewItem, ViewMessage } from "./model/view.ts";
export type { RecoveredSession } from "./recover/recover-sessions.ts";
export { Held } from "./session/claims.ts";
export type { SessionSummary } from "./session/describe.ts";
export { Suspended } from "./session/escalation.ts";
export type { ForgetResult, ForgetSelector } from "./store/forget.ts";
export type { OpenStoreOptions } from "./store/open-raw-store.ts";
export type { JournalRange } from "./store/store.ts";
