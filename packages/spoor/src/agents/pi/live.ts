import { asText, parseObject } from "../json-machine.ts";
import type { Answer, Driver, Launch, LaunchRequest, LiveWire } from "../machine.ts";

/** Pi as a process that is talked to over its standard input. It runs its tools without asking; extensions may ask. */
export const piLive: LiveWire = {
  command: "pi",
  unasked: "Pi runs its tools without asking; only its extensions ask. `--approve deny` leaves it the tools that read.",
  launch,
  createDriver,
};

function launch({ model, systemPrompt, resume, fork, noSession, approve }: LaunchRequest): Launch {
  return {
    args: [
      ...["--mode", "rpc"],
      ...(model === undefined ? [] : modelArgs(model)),
      ...(systemPrompt === undefined ? [] : ["--append-system-prompt", systemPrompt]),
      ...(resume === undefined ? [] : ["--session", resume]),
      ...(fork === undefined ? [] : ["--fork", fork]),
      ...(noSession ? ["--no-session"] : []),
      ...(approve === "deny" ? ["--tools", "read,grep,find,ls"] : []),
    ],
    allow: ["PI_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*", "DEEPSEEK_*", "GROQ_*", "XAI_*"],
    stdin: "pipe",
  };
}

/** `provider/model`, or a model alone. */
function modelArgs(model: string): string[] {
  const slash = model.indexOf("/");
  return slash < 0 ? ["--model", model] : ["--provider", model.slice(0, slash), "--model", model.slice(slash + 1)];
}

function createDriver({ prompt }: LaunchRequest): Driver {
  /** How each open question is to be answered. */
  const asked = new Map<string, string>();
  return {
    endsWithInput: true,
    // The session's id is nowhere else to be had.
    open: () => [
      '{"id":"state","type":"get_state"}',
      JSON.stringify({ id: "prompt", type: "prompt", message: prompt }),
    ],
    receive(line) {
      if (!line.includes("extension_ui_request")) return [];
      const frame = parseObject(line);
      const id = asText(frame?.id);
      const method = asText(frame?.method);
      if (frame?.type === "extension_ui_request" && id !== undefined && method !== undefined) asked.set(id, method);
      return [];
    },
    follow: (message) => [JSON.stringify({ type: "prompt", message, streamingBehavior: "steer" })],
    answer(id, answer) {
      const method = asked.get(id);
      asked.delete(id);
      return [JSON.stringify({ type: "extension_ui_response", id, ...responseTo(method, answer) })];
    },
    interrupt: () => ['{"type":"abort"}'],
  };
}

function responseTo(method: string | undefined, { granted, text }: Answer): object {
  if (method === "confirm") return { confirmed: granted };
  return granted ? { value: text ?? "" } : { cancelled: true };
}
