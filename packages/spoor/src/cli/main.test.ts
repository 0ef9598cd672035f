import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ExitError } from "./exit-error.ts";
import { main } from "./main.ts";
import type { RegisterCommand } from "./program.ts";

const greet: RegisterCommand = (program, io) => {
  program
    .command("greet <name>")
    .description("says hello")
    .action((name: string) => {
      if (name === "nobody") throw new ExitError(1, "There is nobody to greet.");
      io.stdout.write(`Hello ${name}\n`);
    });
};

test("without arguments the help is printed and the exit code is 0", async () => {
  const { code, stdout, stderr } = await run([], [greet]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Usage: spoor");
  expect(stdout).toContain("says hello");
});

test("--help prints the same as no arguments", async () => {
  expect(await run(["--help"], [greet])).toEqual(await run([], [greet]));
});

test("--version prints a version and nothing else", async () => {
  const { code, stdout } = await run(["--version"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("a command writes to the streams it was given", async () => {
  expect(await run(["greet", "Ada"], [greet])).toEqual({ code: 0, stdout: "Hello Ada\n", stderr: "" });
});

test("a command ends with the exit code and message of its ExitError", async () => {
  const { code, stdout, stderr } = await run(["greet", "nobody"], [greet]);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: "There is nobody to greet.\n" });
});

test("an unknown command exits with 2 and suggests the nearest one", async () => {
  const { code, stdout, stderr } = await run(["great"], [greet]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("unknown command 'great'");
  expect(stderr).toContain("Did you mean greet?");
  expect(stderr).toContain("spoor --help");
});

test.for([["greet"], ["greet", "Ada", "Grace"], ["greet", "--loud", "Ada"], ["--loud"]])(
  "called wrongly as %j it exits with 2",
  async (argv) => {
    const { code, stdout, stderr } = await run(argv, [greet]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: /);
  },
);

test("an unexpected error is not turned into an exit code", async () => {
  const broken: RegisterCommand = (program) => {
    program.command("broken").action(() => {
      throw new TypeError("a bug");
    });
  };
  await expect(run(["broken"], [broken])).rejects.toThrow("a bug");
});

async function run(argv: string[], commands?: RegisterCommand[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await main(argv, { stdin: Readable.from([]), stdout, stderr }, commands);
  return { code, stdout: await text(stdout.end()), stderr: await text(stderr.end()) };
}
