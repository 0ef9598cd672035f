export type * from "../api/index.ts";
export type { ApprovalCalls, CommandCallOptions, CommandCalls } from "./approvals.ts";
export type { ArtifactCalls, ChangeCallOptions, CurrentFileRecord, RunDiffRecord } from "./artifacts.ts";
export { type BackOff, defaultBackOff } from "./back-off.ts";
export * from "./client.ts";
export type { SpoorClientOptions } from "./connector.ts";
export { type ClientErrorCode, clientErrors, SpoorClientError } from "./errors.ts";
export type { AllFilters, AllStart } from "./event-source.ts";
export type { SubscriptionState } from "./follow-stream.ts";
export { createEventHub, type EventHub, type EventHubOptions, type HubSubscription } from "./hub.ts";
export type { CaughtUp, HubState, StopReason } from "./hub-state.ts";
export type { HubReader, HubSelection } from "./hub-subscription.ts";
export type { AllListOptions, ListOptions, RunListOptions } from "./list-events.ts";
export type { EndedRun } from "./live-view.ts";
export { createSseParser, type SseMessage, type SseParser } from "./sse.ts";
export type { AllOptions, EnvelopeOptions, FollowingOptions, Subscription } from "./subscribe.ts";
export type { EventOptions, EventSubscription } from "./subscribe-events.ts";
export type {
  ByteStream,
  CancelSignal,
  Clock,
  Fetch,
  FetchInit,
  FetchResponse,
  OpenSocket,
  Socket,
} from "./web-platform.ts";
