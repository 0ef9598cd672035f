import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { bin, createPlace, fakeCommand } from "../../../testing/cli/process.ts";
import { run } from "../../../testing/cli/run.ts";
import { createReceiver, sequencesByRun } from "../../../testing/webhooks/receiver.ts";
import { selfSigned } from "../../../testing/webhooks/self-signed.ts";

const newSecret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

interface Server {
  child: ChildProcess;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A home of its own, with functions that start the server there and ask it. */
function newPlace() {
  const place = createPlace("webhooks");
  onTestFinished(() => place.remove());
  return {
    ...place,
    /** Starts `spoor serve` as a process; resolves when it is up. */
    async serve(flags: readonly string[], env: Record<string, string> = {}): Promise<Server> {
      const child = spawn(process.execPath, [bin, "serve", "--port", "0", ...flags], {
        cwd: place.home,
        env: { PATH: process.env.PATH, HOME: place.home, SPOOR_HOME: place.data, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
        });
      const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill(signal);
        await once(child, "exit");
      };
      onTestFinished(() => stop("SIGKILL"));
      await until(() => expect(output).toContain("Ctrl-C"));
      return { child, output: () => output, stop };
    },
    record: () => place.spoor(["run", "claude", "hello", ...fakeCommand]),
    async webhooks() {
      const { stdout } = await place.spoor(["webhooks", "--json"]);
      return JSON.parse(stdout.split("\n")[0] ?? "");
    },
  };
}

async function newReceiver(secret: () => string, tls?: typeof selfSigned) {
  const receiver = await createReceiver(secret, tls);
  onTestFinished(() => receiver.close());
  return receiver;
}

it("delivers how a run begins and ends, signed with the secret in the file that it names", {
  timeout: 60_000,
}, async () => {
  const place = newPlace();
  let file = "";
  const receiver = await newReceiver(() => readFileSync(file, "utf8").trim());
  const address = receiver.url.replace("//", "//me:pass-word@");
  const server = await place.serve(["--webhook", `${address}?token=hidden`]);
  [, file = ""] = /the secret of their signature is in (.*)/.exec(server.output()) ?? [];
  expect((await place.record()).code).toBe(0);
  await until(() => expect(receiver.accepted()).toHaveLength(3));
  expect(receiver.requests.map(({ type }) => type)).toEqual(["run.created", "run.started", "run.finished"]);
  const [first] = receiver.requests;
  expect(first?.headers).toMatchObject({
    "content-type": "application/cloudevents+json; charset=utf-8",
    authorization: `Basic ${Buffer.from("me:pass-word").toString("base64")}`,
  });
  expect(first?.event).toMatchObject({
    specversion: "1.0",
    source: `/runs/${first?.run_id}`,
    sequence: "0".repeat(20),
  });
  const test = await place.spoor(["webhooks", "test"]);
  expect([test.code, test.stdout]).toEqual([
    0,
    expect.stringMatching(/^wh_[0-9a-f]{16} .* answered 204 \(\d+ ms\)\n$/),
  ]);
  expect(receiver.requests.at(-1)?.event.type).toBe("dev.spoor.webhook.test.v1");
  const shown = await place.spoor(["webhooks"]);
  expect(shown.stdout).toContain("3 events delivered");
  expect(await place.webhooks()).toMatchObject({ state: "delivering", delivered: 3, runs_behind: 0 });
  await server.stop();
  const everything = [server.output(), shown.stdout, test.stdout].join("");
  expect(everything).toContain(receiver.url.replace("//", "//…@"));
  expect(everything).not.toMatch(/pass-word|hidden/);
});

it("loses nothing if the server is killed while the receiver is away", { timeout: 90_000 }, async () => {
  const place = newPlace();
  const secret = newSecret(1);
  const receiver = await newReceiver(() => secret);
  const flags = ["--webhook", receiver.url, "--webhook-types", "run.*,assistant.*"];
  await receiver.refuse();
  const first = await place.serve(flags, { SPOOR_WEBHOOK_SECRET: secret });
  await place.record();
  await until(() => expect(first.output()).toContain("cannot be reached: connect ECONNREFUSED"));
  await until(async () =>
    expect((await place.spoor(["webhooks"])).stdout).toMatch(
      /out of reach.*events of 1 run wait to be sent\n.*next attempt in \d+ (?:s|min)\n/s,
    ),
  );
  const test = await place.spoor(["webhooks", "test"]);
  expect([test.code, test.stderr]).toEqual([1, "1 receiver did not take the test event.\n"]);
  await first.stop("SIGKILL");
  await place.record();
  await receiver.listen();
  await place.serve(flags, { SPOOR_WEBHOOK_SECRET: secret });
  await until(() => expect(receiver.accepted().filter(({ type }) => type === "run.finished")).toHaveLength(2));
  const { stdout } = await place.spoor(["events", "--type", "run.*,assistant.*", "--json"]);
  const stored: Record<string, number[]> = {};
  for (const line of stdout.trim().split("\n")) {
    const { run_id, sequence } = JSON.parse(line);
    stored[run_id] = [...(stored[run_id] ?? []), sequence];
  }
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual(stored));
});

it("keeps a receiver that answered 410 disabled until somebody enables it", { timeout: 90_000 }, async () => {
  const place = newPlace();
  const secret = newSecret(2);
  const receiver = await newReceiver(() => secret);
  receiver.behave(() => 410);
  const first = await place.serve(["--webhook", receiver.url], { SPOOR_WEBHOOK_SECRET: secret });
  await place.record();
  await until(() => expect(first.output()).toContain("answered 410 Gone, so it is disabled"));
  await first.stop();
  receiver.behave(() => 204);
  const second = await place.serve(["--webhook", receiver.url], { SPOOR_WEBHOOK_SECRET: secret });
  await until(() => expect(second.output()).toContain("is disabled since it answered 410 Gone"));
  const { stdout } = await place.spoor(["webhooks"]);
  const [, id = ""] = /`spoor webhooks enable (\w+)` lets it go on/.exec(stdout) ?? [];
  expect((await place.spoor(["webhooks", "enable", id.slice(0, 8)])).stdout).toContain("delivering");
  await until(() => expect(receiver.accepted()).toHaveLength(3));
});

it("signs with every secret of a file, and reads the file again when it changed", { timeout: 60_000 }, async () => {
  const place = newPlace();
  const [old, fresh] = [newSecret(3), newSecret(4)];
  const receiver = await newReceiver(() => old);
  const file = path.join(place.home, "secrets");
  writeFileSync(file, `${old}\n`, { mode: 0o600 });
  await place.serve(["--webhook", receiver.url, "--webhook-secret-file", file]);
  expect((await place.spoor(["webhooks", "test"])).code).toBe(0);
  writeFileSync(file, `${fresh}\n${old}\n`);
  expect((await place.spoor(["webhooks", "test"])).code).toBe(0);
  const [before, after] = receiver.requests;
  expect(before?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  expect(after?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  for (const secret of [old, fresh]) new Webhook(secret).verify(after?.body ?? "", after?.headers ?? {});
  expect(() => new Webhook(fresh).verify(before?.body ?? "", before?.headers ?? {})).toThrow("No matching signature");
});

it("sends over https to a receiver whose certificate is trusted, and to no other", { timeout: 60_000 }, async () => {
  const place = newPlace();
  const secret = newSecret(6);
  const receiver = await newReceiver(() => secret, selfSigned);
  const flags = ["--webhook", receiver.url];
  const first = await place.serve(flags, { SPOOR_WEBHOOK_SECRET: secret });
  await place.record();
  await until(() => expect(first.output()).toContain("cannot be reached: self-signed certificate"));
  expect(receiver.requests).toEqual([]);
  await first.stop();
  const file = path.join(place.home, "authority.pem");
  writeFileSync(file, selfSigned.cert);
  await place.serve(flags, { SPOOR_WEBHOOK_SECRET: secret, NODE_EXTRA_CA_CERTS: file });
  await until(() => expect(receiver.accepted()).toHaveLength(3));
});

it("ends soon at SIGTERM while a receiver gives no answer, and sends the event again later", {
  timeout: 60_000,
}, async () => {
  const place = newPlace();
  const secret = newSecret(7);
  const receiver = await newReceiver(() => secret);
  receiver.behave(() => "hang");
  const server = await place.serve(["--webhook", receiver.url], { SPOOR_WEBHOOK_SECRET: secret });
  await place.record();
  await until(() => expect(receiver.requests).toHaveLength(1));
  const began = performance.now();
  await server.stop();
  // The receiver has 15 seconds for its answer otherwise.
  expect(performance.now() - began).toBeLessThan(12_000);
  receiver.behave(() => 204);
  await place.serve(["--webhook", receiver.url], { SPOOR_WEBHOOK_SECRET: secret });
  await until(() => expect(receiver.accepted()).toHaveLength(3));
  expect(receiver.accepted()[0]?.id).toBe(receiver.requests[0]?.id);
});

it("says what is wrong with a flag before the server starts", { timeout: 60_000 }, async () => {
  const place = newPlace();
  const file = path.join(place.home, "secret");
  writeFileSync(file, "no secret\n", { mode: 0o600 });
  const open = path.join(place.home, "open");
  writeFileSync(open, `${newSecret(5)}\n`, { mode: 0o644 });
  const unpadded = path.join(place.home, "unpadded");
  writeFileSync(unpadded, `${newSecret(5).replace("=", "")}\n`, { mode: 0o600 });
  const url = "http://127.0.0.1:9/";
  const cases: [flags: string[], code: number, says: string][] = [
    [["--webhook", "ftp://me:word@x/"], 2, "must begin with http:// or https://, not with ftp:"],
    [["--webhook", "word@x:pass@example.com"], 2, "must be a whole URL"],
    [["--webhook", "pass-word:word@example.com"], 2, "must begin with http:// or https://."],
    [["--webhook", "example.com"], 2, "must be a whole URL"],
    [["--webhook", url, "--webhook-types", "run.*,Oops"], 2, 'such as run.finished,approval.*, not "Oops".'],
    [["--webhook-types", "run.*"], 2, "--webhook-types needs an address to send events to. Add --webhook <url>."],
    [["--webhook", url, "--webhook-secret-file", `${file}-missing`], 1, "cannot be read: ENOENT"],
    [["--webhook", url, "--webhook-secret-file", file], 1, "holds no valid secret"],
    [["--webhook", url, "--webhook-secret-file", unpadded], 1, "holds no valid secret"],
    [["--webhook", url, "--webhook-secret-file", open], 1, `Run: chmod 600 ${open}`],
  ];
  for (const [flags, code, says] of cases) {
    const ended = await run(["serve", "--data", place.data, ...flags]);
    expect([ended.code, ended.stderr], flags.join(" ")).toEqual([code, expect.stringContaining(says)]);
    expect(ended.stderr).not.toMatch(/word@|pass/);
  }
  const none = await place.spoor(["webhooks"]);
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringContaining("Start one with `spoor serve --webhook <url>`"),
  ]);
  const server = await place.serve(["--webhook", url, "--webhook-types", "run.finishd"]);
  await until(() => expect(server.output()).toContain("--webhook-types run.finishd matches no event type"));
  const second = await place.spoor(["serve", "--webhook", url]);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("--webhook was not used.")]);
  const unknown = await place.spoor(["webhooks", "enable", "wh_nobody"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining("No receiver matches wh_nobody. Known: wh_"),
  ]);
});

const cache = path.resolve(import.meta.dirname, "../../../../../node_modules/.cache");
mkdirSync(cache, { recursive: true });
// Inside node_modules, so that the program finds the package it imports.
const folder = mkdtempSync(path.join(cache, "spoor-webhooks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("works with the receiver that docs/webhooks.md shows", { timeout: 60_000 }, async () => {
  const page = readFileSync(new URL("../../../../../docs/webhooks.md", import.meta.url), "utf8");
  const [, code = ""] = /^```js\n(.*?)^```/ms.exec(page) ?? [];
  const [, flag = ""] = /^spoor serve (--webhook \S+)$/m.exec(page) ?? [];
  const port = String(await freePort());
  const place = newPlace();
  const server = await place.serve(flag.replace("9000", port).split(" "));
  const [, file = ""] = /the secret of their signature is in (.*)/.exec(server.output()) ?? [];
  const program = path.join(folder, "receiver.mjs");
  expect(code).toContain("9000");
  writeFileSync(program, code.replace("9000", port));
  const receiver = spawn(process.execPath, [program], {
    env: { SECRET_FILE: file },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void receiver.kill());
  let printed = "";
  receiver.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await until(async () => expect((await place.spoor(["webhooks", "test"])).code).toBe(0));
  await place.record();
  await until(() =>
    expect(printed).toMatch(/webhook\.test\.v1[\s\S]*run\.created\.v1 run_\w+ [\s\S]*run\.finished\.v1/),
  );
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
