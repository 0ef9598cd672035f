import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { SpoorError } from "../../failures/errors.ts";
import { LogError } from "../../log/errors.ts";
import { TaskError, type TaskErrorCode } from "../../runtime/tasks/index.ts";
import { ChoiceError, modeStateOf, optionsOf } from "./choices.ts";
import { EVENT_META } from "./messages.ts";
import type { OpenSession } from "./open-session.ts";
import { AUTH_REQUIRED, INTERNAL_ERROR } from "./outcome.ts";
import { PromptError } from "./prompt-text.ts";
import { FolderError, requireFolder, type Sessions } from "./sessions.ts";

export interface AcpAgentOptions {
  version: string;
  sessions: Sessions;
  /** Called when the editor has said what it can do. */
  onInitialized(capabilities: ClientCapabilities): void;
}

/** Spoor as an agent of ACP 1: each method of the protocol and what it does. */
export function createAcpAgent({ version, sessions, onInitialized }: AcpAgentOptions): AgentApp {
  /** @throws {RequestError} if there is no such session. */
  const sessionOf = async (id: string): Promise<OpenSession> => {
    const session = await sessions.find(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  };
  const stateOf = ({ start: { offered }, choices }: OpenSession) => ({
    modes: modeStateOf(offered, choices),
    configOptions: optionsOf(offered, choices),
  });
  const attach = async ({ sessionId, cwd, mcpServers }: AttachParams, isShown: boolean) => {
    requireFolder(cwd);
    if (sessions.open.get(sessionId)?.isAnswering)
      throw RequestError.invalidRequest(undefined, "The session answers a prompt. Cancel it first, or wait.");
    const session = await sessions.find(sessionId, mcpServers ?? []);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    const goOn = await sessions.replay(session, { isShown });
    // After the response, so that the editor knows the session when it is asked something.
    setImmediate(goOn);
    return stateOf(session);
  };
  const set = async (client: AgentContext, sessionId: string, id: string, value: string) => {
    const session = await sessionOf(sessionId);
    const before = session.choices;
    await sessions.choose(session, id, value);
    const { modes, configOptions } = stateOf(session);
    const notify = (update: SessionUpdate): Promise<void> => client.notify("session/update", { sessionId, update });
    return { configOptions, modes, notify, isOtherMode: before.mode !== session.choices.mode };
  };

  return agent({ name: "spoor" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      onInitialized(params.clientCapabilities ?? {});
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "spoor", title: "Spoor", version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: false, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
          _meta: { [EVENT_META]: { version: 1 } },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers } }) =>
      explained(async () => {
        const session = await sessions.create(cwd, mcpServers);
        return { sessionId: session.id, ...stateOf(session) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params }) => explained(() => attach(params, true)))
    .onRequest(methods.agent.session.resume, ({ params }) => explained(() => attach(params, false)))
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      explained(() => sessions.list(cwd ?? undefined, cursor ?? undefined)),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      explained(async () => {
        await sessionOf(sessionId);
        sessions.close(sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.delete, ({ params: { sessionId } }) =>
      explained(async () => {
        await sessions.delete(sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId }, client }) =>
      explained(async () => {
        const { configOptions, notify } = await set(client, sessionId, "mode", modeId);
        await notify({ sessionUpdate: "config_option_update", configOptions });
        return {};
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params, client }) =>
      explained(async () => {
        const { sessionId, configId } = params;
        const { configOptions, modes, notify, isOtherMode } = await set(
          client,
          sessionId,
          configId,
          String(params.value),
        );
        if (isOtherMode) await notify({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
        return { configOptions };
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt }, signal }) =>
      explained(async () => {
        const result = await (await sessionOf(sessionId)).prompt(prompt, signal);
        if ("stopReason" in result) return result;
        throw new RequestError(result.code, result.message, result.data);
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.cancel(sessionId));
}

interface AttachParams {
  sessionId: string;
  cwd: string;
  mcpServers?: McpServer[];
}

/** Gives errors of Spoor the codes of the protocol. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw requestErrorOf(error);
  }
}

function requestErrorOf(error: unknown): unknown {
  if (error instanceof RequestError) return error;
  const { message } = error as Error;
  if (error instanceof TaskError)
    return new RequestError(taskCodes[error.code] ?? INTERNAL_ERROR, message, { code: error.code });
  if (
    error instanceof ChoiceError ||
    error instanceof PromptError ||
    error instanceof FolderError ||
    error instanceof SpoorError
  )
    return new RequestError(INVALID, message);
  if (error instanceof LogError)
    return new RequestError(INTERNAL_ERROR, `${message} ${error.hint}`, { code: error.code });
  return new RequestError(INTERNAL_ERROR, message);
}

const INVALID = -32602;
const taskCodes: Partial<Record<TaskErrorCode, number>> = {
  invalid: INVALID,
  not_supported: INVALID,
  model_not_configured: AUTH_REQUIRED,
  task_not_found: -32002,
};
