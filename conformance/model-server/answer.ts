import { anthropic } from "./dialects/anthropic.ts";
import { chat } from "./dialects/chat.ts";
import type { Dialect, Reply } from "./dialects/dialect.ts";
import { gemini } from "./dialects/gemini.ts";
import { responses } from "./dialects/responses.ts";
import type { ModelRoute, Route } from "./route.ts";
import { sampleOf } from "./sample.ts";
import type { Answer, Block, DialectName, ModelRequest, Refusal, Step } from "./script.ts";
import type { Sent } from "./send.ts";

/**
 * The response: the step in the dialect of the request, a harmless answer, or a 400 that says what the script lacks.
 */
export function answerOf(route: Route, step: Step | undefined, number: number, request?: ModelRequest): Sent {
  if (route.dialect === undefined) return { status: route.status, body: route.body };
  const dialect = DIALECTS[route.dialect];
  if (step === undefined && !route.isSide) return refuse(dialect, { status: 400, message: EXHAUSTED });
  if (step !== undefined && "status" in step) return refuse(dialect, step);
  try {
    return render(dialect, route, spoken(step ?? harmless(route), request), number);
  } catch (error) {
    return refuse(dialect, { status: 400, message: String(error) });
  }
}

function refuse(
  dialect: Dialect,
  { status, message = "Scripted error.", code, headers, body, delayMs }: Refusal,
): Sent {
  const shaped = body ?? dialect.refuse({ status, message, ...(code !== undefined && { code }) });
  return { status, body: shaped, headers, delayMs };
}

interface Spoken extends Answer {
  blocks: readonly Block[];
}

function spoken(answer: Answer, request: ModelRequest | undefined): Spoken {
  const { blocks } = answer;
  if (typeof blocks !== "function") return { ...answer, blocks };
  if (request === undefined) throw new TypeError("The answer depends on the request, but there is no request.");
  return { ...answer, blocks: blocks(request) };
}

function render(dialect: Dialect, route: ModelRoute, answer: Spoken, number: number): Sent {
  const { delayMs, pauseMs, cutAfter, failure } = answer;
  if (failure !== undefined && !route.streams) return { ...refuse(dialect, { status: 500, ...failure }), delayMs };
  const reply = replyOf(answer, route.model, number);
  const content = route.streams ? { frames: dialect.stream(reply) } : { body: dialect.whole(reply) };
  return { status: 200, ...content, delayMs, pauseMs, cutAfter };
}

function replyOf({ blocks, stop, usage, failure }: Spoken, model: string, number: number): Reply {
  return {
    id: String(number),
    model,
    blocks,
    stop: stop ?? (blocks.some(({ type }) => type === "tool") ? "tool" : "end"),
    usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, thinking: 0, ...usage },
    failure,
  };
}

function harmless({ schema }: ModelRoute): Answer {
  const text = schema === undefined ? "Fine." : JSON.stringify(sampleOf(schema));
  return { blocks: [{ type: "text", text }] };
}

const EXHAUSTED = "The script has no answer left for this request.";

const DIALECTS: Record<DialectName, Dialect> = { anthropic, responses, chat, gemini };
