import { Readable, Writable } from "node:stream";
import { main } from "../../src/cli/main.ts";

/** Runs a command line in this process and returns what it printed. */
export async function run(
  argv: string[],
  stdin: Readable = Readable.from([]),
): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = collect();
  const stderr = collect();
  const code = await main(argv, { stdin, stdout, stderr });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString() });
}
