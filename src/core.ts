/**
 * The card without the rest, as @refloat/core has it: re-exports only. `refloat` is this with every room behind `openStore` (index.ts).
 * See docs/library.md and docs/decisions/0026-core-is-a-cut-of-the-same-tree.md.
 */

export { openGateway } from "./app/run/open-gateway.ts";
export type { DeleteOptions, RefloatStore } from "./app/store/card.ts";
export { openStore } from "./app/store/open-core.ts";
export type { BeginOptions } from "./conversation/begin.ts";
export type { Call } from "./conversation/call.ts";
export type { Recovered } from "./conversation/close-left-open.ts";
export {
  EVENT_STREAM_HEADERS,
  type EventSourceSession,
  type EventStreamOptions,
  seqAfter,
  toEventStream,
} from "./conversation/event-stream.ts";
export type { ExportFormat, Exports } from "./conversation/export/export-as.ts";
export type { ForkOptions } from "./conversation/fork.ts";
export type { LivePiece } from "./conversation/live-piece.ts";
export type { MessageStream } from "./conversation/message-stream.ts";
export type { Operation } from "./conversation/operation.ts";
export type {
  OwnRecord,
  OwnRecordInput,
  OwnRecordsRange,
  RecordOptions,
} from "./conversation/own-records.ts";
export type { CaptureReceipt, FoundSession, Session, SupersedeOptions } from "./conversation/session.ts";
export type { CallOptions, MessageOptions, Turn } from "./conversation/turn.ts";
export type { LeaveReason } from "./gateway/decide-resume.ts";
export type { CloseOptions, DrainEnd, Gateway, GatewayStart } from "./gateway/gateway.ts";
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
  Outbound,
  SendReceipt,
  Trouble,
  TurnInput,
  TurnLeft,
  WaitsFor,
} from "./gateway/options.ts";
export type { GatewayPolicy } from "./gateway/policy.ts";
export { Aborted } from "./model/aborted.ts";
export { type ErrorCode, RefloatError } from "./model/errors.ts";
export { type ContentHash, parseHash, parseId, type RecordId, type SessionId } from "./model/ids.ts";
export { isJsonObject, type Json, type JsonObject } from "./model/json.ts";
export { isOwnKindName, type OwnKind, ownKind } from "./model/own-kind.ts";
export type { Owner } from "./model/owner.ts";
export {
  type Input,
  isMedia,
  isText,
  isThinking,
  type MediaPart,
  type OtherPart,
  type Part,
  type PartInput,
  type QueuedInput,
  type Receipt,
  type Role,
  type TextPart,
  type ThinkingPart,
} from "./model/parts.ts";
export {
  type BodyOf,
  bodyAs,
  type Effect,
  isRecordKind,
  type RecordKind,
  type StoredRecord,
  type SupersedeReason,
  type TurnOutcome,
} from "./model/record.ts";
export type { StandardSchema } from "./model/standard-schema.ts";
export type { View, ViewCall, ViewItem, ViewMessage } from "./model/view.ts";
export type { RecoveredSession } from "./recover/recover-sessions.ts";
export { Held } from "./session/claims.ts";
export type { SessionSummary } from "./session/describe.ts";
export { Suspended } from "./session/escalation.ts";
export type { StoredContent } from "./store/content-store.ts";
export type { SessionFilter } from "./store/contract/driver.ts";
export type { StoreKey } from "./store/contract/seal.ts";
export type { DeleteResult } from "./store/delete-session.ts";
export type { FollowOptions } from "./store/follow.ts";
export type { ForgetResult, ForgetSelector } from "./store/forget.ts";
export type { OpenStoreOptions } from "./store/open-raw-store.ts";
export type { PostgresClient } from "./store/postgres/own-client.ts";
export type { JournalRange } from "./store/store.ts";
