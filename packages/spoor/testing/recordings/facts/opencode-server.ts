import { distinct, type Ending, type Facts } from "./facts.ts";
import type { Value } from "./frames.ts";
import { endingOfError, factsOfParts } from "./opencode-parts.ts";

/** The server reports all its sessions. Ours is the first that works; anything before that was copied by a fork. */
export function readOpencodeServer(out: readonly Value[]): Facts {
  const ours = out.find(isBusy)?.at("properties", "sessionID").text ?? "";
  const ofOurs = (value: Value) => value.at("sessionID").is(ours);
  const told = out.slice(Math.max(out.findIndex(isBusy), 0));
  const of = (type: string) => told.filter((frame) => frame.at("type").is(type)).map((frame) => frame.at("properties"));
  const answers = new Set(
    of("message.updated")
      .map((properties) => properties.at("info"))
      .filter((info) => info.at("role").is("assistant"))
      .map((info) => info.at("id").text),
  );
  const parts = lastStates(of("message.part.updated").map((properties) => properties.at("part")));
  const replies = of("permission.replied");
  return {
    ...factsOfParts(
      parts.filter((part) => answers.has(part.at("messageID").text)),
      ofOurs,
    ),
    approvals: of("permission.asked").map((asked) => {
      const reply = replies.find((one) => one.at("requestID").is(asked.at("id").text ?? ""))?.at("reply");
      const tool = asked.at("tool", "callID").text;
      return { ...(tool !== undefined && { tool }), ...(reply?.exists && { granted: !reply.is("reject") }) };
    }),
    questions: of("question.asked").flatMap((asked) =>
      asked.at("questions").list.map((one) => one.at("question").text ?? ""),
    ),
    ...endingsOf(told.filter((frame) => ofOurs(frame.at("properties")))),
  };
}

const isBusy = (frame: Value): boolean => frame.at("properties", "status", "type").is("busy");

function lastStates(parts: readonly Value[]): Value[] {
  const states = new Map<string, Value>();
  for (const part of parts) states.set(part.at("id").text ?? "", part);
  return [...states.values()];
}

/** After a failure the server reports twice that it is idle; the second report ends nothing. */
function endingsOf(frames: readonly Value[]): Pick<Facts, "endings"> {
  const endings: Ending[] = [];
  let ending: Ending | undefined;
  for (const frame of frames) {
    if (isBusy(frame)) ending ??= "completed";
    if (frame.at("type").is("session.error")) ending = endingOfError(frame.at("properties", "error"));
    if (!frame.at("type").is("session.idle") || !ending) continue;
    endings.push(ending);
    ending = undefined;
  }
  return endings.length > 0 ? { endings: distinct(endings) } : {};
}
