import type { Readable } from "node:stream";
import { Readable as NodeReadable } from "node:stream";
import { MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk";
import type { Adapter } from "../../agents/machine.ts";
import type { TaskContext } from "../../runtime/tasks/index.ts";
import { createConversations } from "../conversation/conversations.ts";
import { createAcpAgent } from "./agent.ts";
import { type Choices, DEFAULT_MODEL } from "./choices.ts";
import type { Editor } from "./editor.ts";
import { findOfferedAgents, type Mode, type OfferedAgent } from "./offered-agents.ts";
import { openSavedSessions } from "./saved-choices.ts";
import { Sessions } from "./sessions.ts";

/** What serving an editor needs. */
export interface ServeAcpOptions extends Required<Pick<TaskContext, "log" | "directory" | "kinds">> {
  version: string;
  adapters: readonly Adapter[];
  /** What new sessions begin with. */
  agent?: string | undefined;
  model?: string | undefined;
  mode?: Mode | undefined;
  recordThinking?: boolean | undefined;
  /** Reads the editor's messages. */
  input: Readable;
  /** Writes bytes to the editor, and resolves when they are passed on. */
  write(bytes: Uint8Array): Promise<void>;
  note(line: string): void;
  /** Ends serving. */
  signal: AbortSignal;
}

/** Serves one editor until it closes its end. Returns the runs that go on without it. */
export async function serveAcp(options: ServeAcpOptions): Promise<string[]> {
  const { log, directory, kinds, adapters, agent, note, signal } = options;
  const conversations = createConversations({ log, directory, kinds, by: "editor" });
  const offered = withModel(await findOfferedAgents({ adapters, kinds, environment: process.env }), options);
  const choices: Choices = {
    agent: agent ?? (offered.find(({ needsModel }) => !needsModel) ?? offered[0])?.name ?? "loop",
    model: options.model ?? DEFAULT_MODEL,
    mode: options.mode ?? "ask",
  };
  const saved = openSavedSessions(directory);
  saved.sweep().catch((error: Error) => note(error.message));

  let editor: Editor | undefined;
  let canAsk = false;
  const sessions = new Sessions(() => editor as Editor, {
    ...{ saved, choices, offered },
    defaults: options.recordThinking ? { record_thinking: true } : {},
  });
  const app = createAcpAgent({
    ...{ version: options.version, sessions },
    onInitialized: ({ elicitation }) => {
      canAsk = elicitation?.form !== undefined && elicitation.form !== null;
    },
  });
  const output = new WritableStream<Uint8Array>({ write: options.write });
  const input = NodeReadable.toWeb(options.input) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES }));
  editor = {
    ...{ client: connection.client, gone: connection.signal, log, directory, conversations, note },
    get canAsk() {
      return canAsk;
    },
  };
  const stop = () => connection.close();
  signal.addEventListener("abort", stop);
  await connection.closed;
  if (connection.signal.reason instanceof MessageTooLargeError) note(TOO_LARGE);
  signal.removeEventListener("abort", stop);
  sessions.closeAll();
  return [...sessions.open.values()].flatMap(({ activeRuns }) => activeRuns);
}

/** A model that the user named is offered, even if no list has it. */
const withModel = (agents: OfferedAgent[], { agent, model }: ServeAcpOptions): OfferedAgent[] =>
  agents.map((each) =>
    model === undefined || each.name !== agent || each.models.some(({ id }) => id === model)
      ? each
      : { ...each, models: [{ id: model, title: model }, ...each.models] },
  );

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const TOO_LARGE =
  "The editor sent a message of more than 64 MiB, so the connection was closed. Start the editor's agent again.";
