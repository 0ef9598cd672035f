import type { ChatStatus } from "@spoor/protocol/api";
import type { ChatContext } from "./chat.ts";
import type { Tasks } from "./tasks.ts";

/** What the connections of a server share. */
export interface RpcContext extends ChatContext {
  tasks: Tasks;
  status(): Promise<ChatStatus>;
  /** By how many the number of requests in queues has changed. */
  countQueued(change: number): void;
  isStopping(): boolean;
}
