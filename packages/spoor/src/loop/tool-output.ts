import type { ToolKind } from "@spoor/protocol";
import type { KeptContent, ToolResult } from "./tools/tool.ts";

/** The model gets at most this much of an output: its beginning and its end. */
const MAX_BYTES = 64 * 1024;
/** Outputs beyond this size are kept as artifacts. */
const LARGE_BYTES = 16 * 1024;

/** What of a result is stored in the call's end. */
export interface StoredOutput {
  output: string;
  /** Fields of the event that ends the call. */
  fields: { result_artifact_id?: string; truncated?: boolean };
}

/** Keeps a large output whole as an artifact, and shortens what the model gets. */
export async function storedOutput(
  { output, fields = {} }: ToolResult,
  kind: ToolKind,
  keep: (content: KeptContent) => Promise<string | undefined>,
): Promise<StoredOutput> {
  const bytes = Buffer.from(output);
  if (bytes.length <= LARGE_BYTES) return { output, fields: {} };
  const named = Object.values(fields).find((each) => each && "result_artifact_id" in each);
  const id = named ? undefined : await keep({ kind: kinds[kind] ?? "tool_result_blob", bytes, mime: "text/plain" });
  const artifact = id === undefined ? {} : { result_artifact_id: id };
  if (bytes.length <= MAX_BYTES) return { output, fields: artifact };
  return { output: headAndTail(bytes), fields: { ...artifact, truncated: true } };
}

function headAndTail(bytes: Buffer): string {
  const half = MAX_BYTES / 2;
  const left = bytes.length - 2 * half;
  // A character that the cut splits is dropped.
  const head = bytes.subarray(0, half).toString().replace(/�+$/, "");
  const tail = bytes
    .subarray(bytes.length - half)
    .toString()
    .replace(/^�+/, "");
  return `${head}\n[${left} bytes left out]\n${tail}`;
}

const kinds: Partial<Record<ToolKind, KeptContent["kind"]>> = {
  shell: "command_output",
  web_fetch: "fetched_resource",
  http: "fetched_resource",
  web_search: "search_results",
  file_read: "file_snapshot",
};
