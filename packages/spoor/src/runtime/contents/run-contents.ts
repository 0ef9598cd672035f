import type { AgentEvent, AgentEventOf, ToolKind } from "@spoor/protocol";
import { createUlidSource, idPrefixes } from "@spoor/protocol/ids";
import type { Attachment } from "../../agents/machine.ts";
import type { ContentInput, Limits, NewArtifacts } from "../artifacts/index.ts";
import type { ChangePlace } from "../recorder/change-source.ts";
import type { ContentSource, KeptContents, NamedAttachment } from "../recorder/content-source.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import { CommandOutput } from "./command-output.ts";
import { imagesIn } from "./images.ts";

/** Outputs beyond this size are kept as artifacts, beside what the events say of them. */
export const LARGE_OUTPUT_BYTES: number = 16 * 1024;

type CallEnd = AgentEventOf<"tool_result" | "tool_error" | "mcp_tool_result" | "mcp_tool_error">;
type Content = Pick<ContentInput, "kind" | "bytes" | "mime" | "name" | "summary"> & { total_bytes?: number };

/** Keeps the large outputs and the images of an agent process. */
export class RunContents implements ContentSource {
  readonly #directory: string;
  readonly #log: Pick<RecorderLog, "rows">;
  readonly #commands = new Map<string, CommandOutput>();
  readonly #kinds = new Map<string, ToolKind>();
  #limits: Limits | undefined;

  constructor(directory: string, log: Pick<RecorderLog, "rows">) {
    this.#directory = directory;
    this.#log = log;
  }

  look(event: AgentEvent, place: () => ChangePlace): Promise<KeptContents | undefined> | undefined {
    switch (event.type) {
      case "tool_call_start":
      case "tool_call_ready":
        if (event.toolKind !== undefined) this.#kinds.set(keyOf(event), event.toolKind);
        return undefined;
      case "shell_stdout_delta":
      case "shell_stderr_delta":
        this.#collect(event);
        return undefined;
      case "shell_exit":
        // The output of a call is kept at the call's end, which names the artifact.
        return event.toolCallId === undefined ? this.#ofCommand(event, place) : undefined;
      case "image_output":
        return event.base64 === undefined ? undefined : this.#ofImage(event, place);
      case "tool_result":
      case "tool_error":
      case "mcp_tool_result":
      case "mcp_tool_error":
        return this.#ofCall(event, place);
      default:
        return undefined;
    }
  }

  nameAttachment(attachment: Attachment): string | undefined {
    return "base64" in attachment ? newArtifactId() : undefined;
  }

  async keepAttachments(named: readonly NamedAttachment[], place: ChangePlace): Promise<KeptContents | undefined> {
    const contents = named.flatMap(({ artifact_id, attachment }) => {
      if (!("base64" in attachment)) return [];
      const { name, mimeType: mime, base64 } = attachment;
      const kind = mime.startsWith("image/") ? ("image" as const) : ("file_snapshot" as const);
      return [{ artifact_id, kind, mime, name, bytes: Buffer.from(base64, "base64"), summary: `attached: ${name}` }];
    });
    return this.#keep(contents, place, [], () => ({}));
  }

  #collect(event: AgentEventOf<"shell_stdout_delta" | "shell_stderr_delta">): void {
    const key = keyOf(event);
    const output = this.#commands.get(key) ?? new CommandOutput();
    this.#commands.set(key, output);
    output.add(event.delta);
  }

  #ofCommand(
    event: AgentEventOf<"shell_exit">,
    place: () => ChangePlace,
  ): Promise<KeptContents | undefined> | undefined {
    const output = this.#takeOutput(keyOf(event));
    return output && this.#keep([output], place(), [], () => ({}));
  }

  #ofCall(event: CallEnd, place: () => ChangePlace): Promise<KeptContents | undefined> | undefined {
    const key = keyOf(event);
    const kind = event.type.startsWith("mcp") ? "mcp" : this.#kinds.get(key);
    this.#kinds.delete(key);
    const output = this.#takeOutput(key) ?? largeResult(event, kind);
    const images = "output" in event ? imagesIn(event.output).map(imageContent) : [];
    const contents = [...(output ? [output] : []), ...images];
    if (contents.length === 0) return undefined;
    const named = ([result_artifact_id]: readonly string[]) => {
      const fields = result_artifact_id === undefined ? {} : { result_artifact_id };
      return Object.fromEntries(CALL_ENDS.map((type) => [type, fields]));
    };
    return this.#keep(contents, place(), [event.toolCallId], named);
  }

  #ofImage(event: AgentEventOf<"image_output">, place: () => ChangePlace): Promise<KeptContents | undefined> {
    const image = { mime: event.mimeType, bytes: Buffer.from(event.base64 ?? "", "base64") };
    return this.#keep([imageContent(image)], place(), [], ([artifact_id]) =>
      artifact_id === undefined ? {} : { "assistant.image_output": { artifact_id } },
    );
  }

  /** The collected output of a command, if it is large. */
  #takeOutput(key: string): Content | undefined {
    const output = this.#commands.get(key);
    this.#commands.delete(key);
    if (!output || output.size <= LARGE_OUTPUT_BYTES) return undefined;
    const summary = `output, ${output.size} bytes`;
    const cut = output.isCut ? { total_bytes: output.size } : {};
    return { kind: "command_output", mime: "text/plain", bytes: output.content(), summary, ...cut };
  }

  async #keep(
    contents: readonly (Content & { artifact_id?: string })[],
    { at: _, ...place }: ChangePlace,
    tool_call_ids: readonly string[],
    fieldsFor: (artifact_ids: readonly string[]) => KeptContents["fields"],
  ): Promise<KeptContents | undefined> {
    try {
      const { contentArtifact, createLimits } = await import("../artifacts/index.ts");
      this.#limits ??= createLimits(this.#log);
      const limits = this.#limits;
      const kept: NewArtifacts[] = [];
      for (const content of contents)
        kept.push(await contentArtifact(this.#directory, { ...place, tool_call_ids, limits, ...content }));
      return {
        drafts: kept.flatMap(({ drafts }) => drafts),
        effects: kept.flatMap(({ effects }) => effects),
        fields: fieldsFor(kept.flatMap(({ artifact_ids }) => artifact_ids)),
      };
    } catch (error) {
      const message = `An output could not be kept: ${(error as Error).message}`;
      return { drafts: [{ type: "debug.message", data: { level: "warn", message } }], effects: [], fields: {} };
    }
  }
}

/** The envelopes that end a call. */
const CALL_ENDS = ["tool.completed", "tool.failed", "tool.cancelled", "tool.timed_out"] as const;

const newArtifactId = createUlidSource({ prefix: idPrefixes.artifact });

const keyOf = ({ runId, toolCallId = "" }: { runId: string; toolCallId?: string }): string => `${runId} ${toolCallId}`;

const imageContent = ({ mime, bytes }: { mime: string; bytes: Buffer }): Content => ({
  ...{ kind: "image", mime, bytes, summary: `${mime}, ${bytes.length} bytes` },
});

/** The kind of artifact of a large result, by the kind of its tool. */
const kindOf: Partial<Record<ToolKind, ContentInput["kind"]>> = {
  shell: "command_output",
  web_fetch: "fetched_resource",
  http: "fetched_resource",
  web_search: "search_results",
  file_read: "file_snapshot",
};

function largeResult(event: CallEnd, kind: ToolKind | undefined): Content | undefined {
  const output = "output" in event ? event.output : event.error;
  const isText = typeof output === "string";
  const text = isText ? output : textOf(output);
  if (text === undefined || Buffer.byteLength(text) <= LARGE_OUTPUT_BYTES) return undefined;
  const bytes = Buffer.from(text);
  const mime = isText ? "text/plain" : "application/json";
  return { kind: (kind && kindOf[kind]) ?? "tool_result_blob", mime, bytes, summary: `result, ${bytes.length} bytes` };
}

/** A result with images is large because of them; they are kept as images. */
function textOf(output: unknown): string | undefined {
  if (output === undefined || output === null || imagesIn(output).length > 0) return undefined;
  return JSON.stringify(output);
}
