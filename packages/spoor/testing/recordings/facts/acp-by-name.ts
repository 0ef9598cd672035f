import { readAcp } from "./acp.ts";
import type { Facts } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";

const updateOf = ({ frame }: RecordedFrame): Value => frame.at("params", "update");
const wordsOf = (recorded: RecordedFrame): string | undefined =>
  updateOf(recorded).at("sessionUpdate").is("agent_message_chunk")
    ? updateOf(recorded).at("content", "text").text
    : undefined;

/** codex-acp reports failures as messages without an id, and ends a prompt as cancelled when permission was refused. */
export function readCodexAcp(frames: readonly RecordedFrame[]): Facts {
  const isUnnamed = (one: RecordedFrame) => wordsOf(one) !== undefined && !updateOf(one).at("messageId").exists;
  const { tools = [], ...facts } = readAcp(frames.filter((one) => !isUnnamed(one)));
  const failure = frames.filter(isUnnamed).map(wordsOf).at(-1);
  const isRefused = facts.approvals?.at(-1)?.granted === false;
  // A command that only reads is reported as reading, which has no exit code.
  const reading = new Set(
    frames.filter((one) => updateOf(one).at("kind").is("read")).map((one) => updateOf(one).at("toolCallId").text),
  );
  return {
    ...facts,
    tools: tools.map(({ exitCode, ...tool }) => ({
      ...tool,
      ...(exitCode !== undefined && !reading.has(tool.id) && { exitCode }),
    })),
    ...(isRefused && { endings: ["completed"] }),
    ...(failure !== undefined && { endings: [/context window/.test(failure) ? "context" : "error"] }),
  };
}

/**
 * pi-acp shows a banner as a message, adds a remark about a command's end to its output, and does not report failures.
 */
export function readPiAcp(frames: readonly RecordedFrame[]): Facts {
  const banners = frames.map(({ frame }) => frame.at("result", "_meta", "piAcp", "startupInfo").text);
  const facts = readAcp(frames.filter((one) => !banners.includes(wordsOf(one) ?? "nothing said")));
  const tools = (facts.tools ?? []).map((tool) => {
    const ofCall = frames.filter((one) => updateOf(one).at("toolCallId").is(tool.id));
    const printed = ofCall.map((one) => updateOf(one).at("_meta", "terminal_output", "data").text ?? "").join("");
    const code = /Command exited with code (\d+)$/.exec(printed)?.[1];
    return code === undefined ? tool : { ...tool, exitCode: Number(code) };
  });
  return { ...withSilence(facts), tools };
}

/** Kilo reports a cancelled command as completed. */
export function readKilo(frames: readonly RecordedFrame[]): Facts {
  const facts = readAcp(frames);
  const isCancelled = (id: string) =>
    frames.some((one) => {
      const update = updateOf(one);
      return update.at("toolCallId").is(id) && /User aborted/.test(update.at("rawOutput", "output").text ?? "");
    });
  return {
    ...facts,
    tools: (facts.tools ?? []).map((tool) => (isCancelled(tool.id) ? { ...tool, failed: true } : tool)),
  };
}

/** OpenClaw does not report failures either. */
export const readOpenclawAcp = (frames: readonly RecordedFrame[]): Facts => withSilence(readAcp(frames));

/** A prompt that ends successfully without any output has failed. */
function withSilence(facts: Facts): Facts {
  const isSilent = facts.said === "" && facts.tools?.length === 0 && facts.endings?.join() === "completed";
  return isSilent ? { ...facts, endings: ["error"] } : facts;
}
