import { asObject, asText, parseObject } from "../../agents/kit/json-values.ts";
import type { WireLine } from "../../assemble/wire-line.ts";

/** A piece of a line that was too long to read. The tape stores it in a form that no agent uses. */
export interface TapePiece {
  text: string;
  isLast: boolean;
}

/** The text of a tape line: the line itself, or the stored form of a piece of a long line. */
export const pieceText = ({ text, piece }: Pick<WireLine, "text" | "piece">): string =>
  piece === undefined ? text : JSON.stringify({ spoor_piece: { text, ...(piece === "last" && { is_last: true }) } });

export function readPiece(line: string): TapePiece | undefined {
  if (!line.startsWith('{"spoor_piece":')) return undefined;
  const piece = asObject(parseObject(line)?.spoor_piece);
  const text = asText(piece?.text);
  return text === undefined ? undefined : { text, isLast: piece?.is_last === true };
}
