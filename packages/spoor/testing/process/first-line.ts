import { StringDecoder } from "node:string_decoder";

/**
 * Returns the first line that a program prints, without its line break. A program may print a line in several pieces, or
 * several lines in one. Rejects when the output ends before a line is complete.
 */
export function firstLine(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder();
    let text = "";
    const onData = (piece: Buffer) => {
      text += decoder.write(piece);
      const end = text.indexOf("\n");
      if (end === -1) return;
      output.off("data", onData).off("end", onEnd);
      resolve(text.slice(0, end));
    };
    const onEnd = () => reject(new Error(`The program ended before it printed a line. It printed: ${text}`));
    output.on("data", onData).once("end", onEnd);
  });
}
