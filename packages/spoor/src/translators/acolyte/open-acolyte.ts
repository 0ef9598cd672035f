import type { TaskContext } from "../../runtime/tasks/index.ts";
import { createConversations } from "../conversation/conversations.ts";
import { streamChat } from "./chat-stream.ts";
import { serveRpc } from "./connection.ts";
import type { RpcContext } from "./rpc-context.ts";
import { readStatus } from "./status.ts";
import { createTasks } from "./tasks.ts";

export { serveRpc, streamChat };

/** What all connections of a server share. */
export function openAcolyte(context: Omit<TaskContext, "by"> & { isStopping(): boolean }): RpcContext {
  const { log, isStopping } = context;
  let queued = 0;
  return {
    log,
    conversations: createConversations({ ...context, by: "acolyte" }),
    tasks: createTasks(log),
    status: () => readStatus(log, queued),
    countQueued(change) {
      queued += change;
    },
    isStopping,
  };
}
