import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { collectOutput, type Output } from "./process-output.ts";

const pour = (stdout: Readable, maxBufferedBytes = 1000): Output =>
  collectOutput({ stdout, stderr: null }, { maxBufferedBytes });

const read = async (output: Output): Promise<string[]> => {
  const lines: string[] = [];
  for await (const { line } of output.lines) lines.push(line);
  return lines;
};

describe("the pipes of a process", () => {
  it("are paused while the buffer is full, and read again when it has room", async () => {
    const pipe = new PassThrough();
    const output = pour(pipe);
    for (let n = 0; n < 100; n += 1) pipe.write(`${"x".repeat(5000)}\n`);
    pipe.end("last");
    await turns();
    expect(pipe.isPaused()).toBe(true);
    void output.closed.then(() => output.close());
    expect(await read(output)).toHaveLength(101);
  });

  it("are read completely on close, even when the buffer is full", async () => {
    const pipe = new PassThrough();
    const output = pour(pipe);
    for (let n = 0; n < 100; n += 1) pipe.write("\n".repeat(5000));
    await turns();
    expect(pipe.isPaused()).toBe(true);
    await output.close();
    expect(await read(output)).toHaveLength(500_000);
  });

  it("are read on close for as long as data arrives", async () => {
    const pipe = new PassThrough();
    const output = pour(pipe);
    let left = 8;
    const timer = setInterval(() => {
      pipe.write("line\n");
      left -= 1;
      if (left === 0) clearInterval(timer);
    }, 10);
    await output.close();
    expect(await read(output)).toHaveLength(8);
  });

  it("are closed while a process still writes without end", async () => {
    const endless = new Readable({ read: () => setImmediate(() => endless.push("z".repeat(65_535).concat("\n"))) });
    const output = pour(endless);
    await output.close();
    expect(endless.destroyed).toBe(true);
    const bytes = (await read(output)).length * 65_536;
    expect(bytes).toBeLessThan(10_000_000);
  });

  it("are closed while a process still writes a little from time to time", async () => {
    const pipe = new PassThrough();
    const output = pour(pipe);
    const timer = setInterval(() => pipe.write("line\n"), 5);
    await output.close();
    clearInterval(timer);
    expect(pipe.destroyed).toBe(true);
  });

  it("deliver the unfinished line when they are closed or break", async () => {
    const pipe = new PassThrough();
    const output = pour(pipe);
    pipe.write("whole\nbegun");
    await turns();
    pipe.destroy(new Error("broken"));
    await output.closed;
    await output.close();
    expect(await read(output)).toEqual(["whole", "begun"]);
  });
});

async function turns(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
