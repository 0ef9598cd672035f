import { Count, Flag, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";

const Said = Type.Object({
  role: oneOf(["user", "assistant", "system"], "Who said it."),
  content: Text("What was said."),
});

/** A request of the Acolyte protocol: one message to an agent. Unknown fields are ignored. */
export const ChatRequest = Type.Object({
  message: Type.String({ minLength: 1, maxLength: 100_000, description: "What the agent is asked." }),
  history: optional(
    Type.Array(Said, {
      maxItems: 500,
      description: "What was said before, for a new session. A session that goes on knows it already.",
    }),
  ),
  sessionId: optional(
    Type.String({
      pattern: "^[A-Za-z0-9_.:-]{1,128}$",
      description: "The session that goes on, or the name of a new one. A new session gets an id if it is absent.",
    }),
  ),
  model: optional(Text("The model, unless `options` has one.")),
  workspace: optional(Text("The folder to work in, unless `options` has one.")),
  options: optional(
    Type.Object(
      {
        agent: optional(Key("The agent; `loop` is our own. Default: that of the configuration, else `loop`.")),
        model: optional(Text("The model.")),
        workspace: optional(
          Type.Union([Type.String(), Type.Object({})], {
            description: "The folder to work in, or a workspace as in a task.",
          }),
        ),
        onClose: optional(
          oneOf(
            ["cancel", "continue"],
            "What happens to the run if the connection closes before its end. Default: `cancel` on a WebSocket, `continue` over HTTP.",
          ),
        ),
      },
      { description: "Options of the run. Further fields of a task, such as `approve` and `max_turns`, are used too." },
    ),
  ),
});
export type ChatRequest = Static<typeof ChatRequest>;

/** What a client of the Acolyte protocol learns before it begins. */
export const ChatStatus = Type.Object({
  ok: Flag("Always true."),
  service: Text("Always `spoor`."),
  protocol_version: Text("The version of the Acolyte protocol."),
  capabilities: Text("What the server can do beyond the protocol's base, separated by commas."),
  agent: Text("The agent of requests that name none."),
  model: Text("The model of requests that name none; empty if the agent chooses it."),
  providers: Type.Array(Type.String(), { description: "Always empty: agents have their own." }),
  provider_auth: Type.Array(Type.String(), { description: "Always empty: agents have their own." }),
  permissions: Text("What happens if an agent asks for permission and the request does not say."),
  tasks_total: Count("Runs in the log."),
  tasks_running: Count("Runs that are not over."),
  rpc_queue_length: Count("Requests that wait in the queues of all connections."),
});
export type ChatStatus = Static<typeof ChatStatus>;
