import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type NewSessionResponse,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished } from "vitest";
import { bin } from "../cli/process.ts";
import type { AcpPlace } from "./place.ts";
import { createMessageCheck, type Message } from "./schema.ts";

/** How the editor answers. The default waits for ever. */
export interface EditorOptions {
  capabilities?: ClientCapabilities;
  args?: readonly string[];
  onPermission?(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  onQuestion?(request: CreateElicitationRequest): Promise<CreateElicitationResponse>;
}

export const allow = async (): Promise<RequestPermissionResponse> => ({
  outcome: { outcome: "selected", optionId: "approve" },
});
export const reject = async (): Promise<RequestPermissionResponse> => ({
  outcome: { outcome: "selected", optionId: "reject" },
});

/**
 * The client of the official SDK with `spoor acp` as a process. Every line of both sides is recorded and judged by the published
 * schema; a test fails if one is wrong.
 */
export class TestEditor {
  readonly child: ChildProcess;
  readonly connection: ClientConnection;
  readonly raw: { from: "client" | "agent"; message: Message }[] = [];
  readonly problems: string[] = [];
  readonly notifications: SessionNotification[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  /** How many requests of the agent were withdrawn. */
  withdrawn = 0;
  stderr = "";

  constructor({ cwd, env }: AcpPlace, options: EditorOptions = {}) {
    const { args = [], onPermission = waits, onQuestion } = options;
    this.child = spawn(process.execPath, [bin, "acp", ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.child.stdin?.on("error", () => {});
    const check = createMessageCheck();
    const tap = (from: "client" | "agent") => {
      let rest = "";
      const decoder = new TextDecoder();
      return new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          rest += decoder.decode(chunk, { stream: true });
          const lines = rest.split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) {
            const message = JSON.parse(line) as Message;
            this.raw.push({ from, message });
            this.problems.push(...check(from, message));
          }
          controller.enqueue(chunk);
        },
      });
    };
    const toAgent = tap("client");
    void toAgent.readable.pipeTo(Writable.toWeb(this.child.stdin as Writable)).catch(() => {});
    const fromAgent = (Readable.toWeb(this.child.stdout as Readable) as ReadableStream<Uint8Array>).pipeThrough(
      tap("agent"),
    );
    const app = client({ name: "test" })
      .onNotification("session/update", ({ params }) => void this.notifications.push(params))
      .onRequest("session/request_permission", async ({ params, signal }) => {
        this.permissions.push(params);
        signal.addEventListener("abort", () => {
          this.withdrawn += 1;
        });
        return onPermission(params, signal);
      });
    if (onQuestion) app.onRequest("elicitation/create", ({ params }) => onQuestion(params));
    this.connection = app.connect(ndJsonStream(toAgent.writable, fromAgent));
    onTestFinished(async () => {
      await this.quit();
      expect(this.problems).toEqual([]);
    });
  }

  get agent() {
    return this.connection.agent;
  }

  get updates(): SessionUpdate[] {
    return this.notifications.map(({ update }) => update);
  }

  /** What the agent said so far, as one text. */
  get said(): string {
    return this.texts("agent_message_chunk").join("");
  }

  texts(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string[] {
    return this.updates.flatMap((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
    );
  }

  /** Clears what was recorded, so that a test sees what comes next. */
  forget(): void {
    this.notifications.length = 0;
    this.permissions.length = 0;
  }

  /** Closes the connection as an editor does that is quit. Returns the exit code. */
  async quit(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const ended = once(this.child, "exit");
    this.child.stdin?.end();
    await ended;
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }
}

/** Starts an editor and begins a session. */
export async function openEditor(place: AcpPlace, options: EditorOptions = {}) {
  const editor = await startEditor(place, options);
  const session = await editor.agent.request("session/new", { cwd: place.cwd, mcpServers: [] });
  const prompt = (text: string) => promptOf(editor, session, text);
  return { editor, session, sessionId: session.sessionId, prompt };
}

/** Starts an editor that has said what it can do. */
export async function startEditor(place: AcpPlace, options: EditorOptions = {}): Promise<TestEditor> {
  const editor = new TestEditor(place, options);
  await editor.agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
    clientInfo: { name: "test", version: "1" },
  });
  return editor;
}

export const promptOf = (editor: TestEditor, { sessionId }: Pick<NewSessionResponse, "sessionId">, text: string) =>
  editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

const waits = (): Promise<never> => new Promise(() => {});
