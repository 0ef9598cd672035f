import { asObject, asText, parseObject } from "../../agents/kit/json-values.ts";
import type { LaunchRequest } from "../../agents/machine.ts";
import type { EstimateMoment } from "../../assemble/spending.ts";
import type { RecordedParts } from "../redaction/hide-parts.ts";

/** The data, besides the lines, that is needed to read a tape again. */
export interface TapeHeader {
  agent: string;
  dialect: string;
  stream: "auto" | true | false;
  /** Missing in tapes of old versions, which have only `can_ask`. */
  approve?: LaunchRequest["approve"];
  can_ask: boolean;
  /** Whether rules decided about questions first; their verdicts are on the tape. */
  gated?: true;
  cwd: string;
  no_session: boolean;
  resumed: boolean;
  forked_from?: string;
  /** When tokens were priced, for an agent that reports its cost itself. Missing in tapes of old versions: never. */
  estimates?: EstimateMoment;
  record_thinking: boolean;
  record_tool_input: boolean;
}

export interface TapeStart {
  agent: string;
  dialect: string;
  stream: "auto" | true | false;
  request: LaunchRequest;
  isGated?: boolean | undefined;
  estimates?: EstimateMoment;
}

/** The first line of a tape, in a form that no agent uses. */
export function writeHeader(
  { agent, dialect, stream, request, estimates, isGated }: TapeStart,
  parts: RecordedParts,
): string {
  const header: TapeHeader = {
    agent,
    dialect,
    stream,
    approve: request.approve,
    can_ask: request.approve === "ask",
    ...(isGated && { gated: true as const }),
    cwd: request.cwd,
    no_session: request.noSession === true,
    resumed: request.resume !== undefined,
    ...(request.fork !== undefined && { forked_from: request.fork }),
    ...(estimates && { estimates }),
    record_thinking: parts.record_thinking === true,
    record_tool_input: parts.record_tool_input === true,
  };
  return JSON.stringify({ spoor_tape: header });
}

export function readHeader(line: string): TapeHeader | undefined {
  if (!line.startsWith('{"spoor_tape":')) return undefined;
  const header = asObject(parseObject(line)?.spoor_tape);
  if (asText(header?.agent) === undefined || asText(header?.dialect) === undefined) return undefined;
  return header as unknown as TapeHeader;
}
