import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { takeOutput } from "./protocol-output.ts";

function openIo() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return {
    io: { stdin, stdout, stderr },
    printed: () => [stdout, stderr].map((stream) => String(stream.read() ?? "")),
  };
}

it("keeps standard output for the protocol until it is given back", async () => {
  const { io, printed } = openIo();
  const { write, release } = takeOutput(io);
  await write("a message\n");
  await write(Buffer.from("bytes\n"));
  io.stdout.write("a word of a library\n");
  expect(printed()).toEqual(["a message\nbytes\n", "a word of a library\n"]);
  release();
  io.stdout.write("an ordinary line\n");
  expect(printed()).toEqual(["an ordinary line\n", ""]);
});

it("tells the writer that nobody reads any more, and nobody else", async () => {
  const { io } = openIo();
  const errors: Error[] = [];
  io.stdout.on("error", (error) => errors.push(error));
  const { write, release } = takeOutput(io);
  io.stdout.destroy(new Error("The pipe is closed."));
  await expect(write("a message\n")).rejects.toThrow();
  release();
  expect(errors).toEqual([]);
});
