import { envelopeCatalog } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { serve, startRun, stored } from "../../../testing/server/serve.ts";
import { framesOf } from "../../../testing/server/sse-reader.ts";

describe("a caller's event", () => {
  it("is committed before the answer, and its fields are at the top level of data", async () => {
    const { log, post, get } = await serve();
    const run = await startRun(log, 3);
    const response = await post(`/v1/tasks/${run.task_id}/runs/${run.run_id}/events`, {
      data: { build: 7, status: "from data" },
      step_id: "s1",
      status: "green",
      note: "Deployed.",
    });
    expect(response.status).toBe(201);
    const receipt = (await response.json()) as { sequence: number };
    expect(receipt).toMatchObject({ object: "receipt", type: "external.event", sequence: 3, repeated: false });
    const page = (await (await get(`/v1/runs/${run.run_id}/events?after_sequence=2`)).json()) as { data: object[] };
    expect(page.data).toMatchObject([
      { type: "external.event", sequence: 3, data: { build: 7, step_id: "s1", status: "green", note: "Deployed." } },
    ]);
  });

  it("may have a type of its own, and may follow the run's end", async () => {
    const { log, post } = await serve();
    const run = await startRun(log);
    await run.finish();
    const response = await post(`/v1/runs/${run.run_id}/events`, { type: "acme.shipped" });
    expect(await response.json()).toMatchObject({ type: "acme.shipped", sequence: 2 });
  });

  it("is stored once, however often it is sent under one key", async () => {
    const { log, post } = await serve();
    const [one, two] = [await startRun(log), await startRun(log)];
    const send = (run_id: string) =>
      post(`/v1/runs/${run_id}/events`, { note: "once" }, { "idempotency-key": "build 7".replace(" ", "-") });
    const answers = await Promise.all([send(one.run_id), send(one.run_id), send(one.run_id)]);
    const receipts = (await Promise.all(answers.map((answer) => answer.json()))) as { repeated: boolean }[];
    expect(receipts.map((receipt) => ({ ...receipt, repeated: undefined }))).toEqual(
      Array(3).fill(expect.objectContaining({ sequence: 1 })),
    );
    expect(receipts.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(await (await send(two.run_id)).json()).toMatchObject({ run_id: two.run_id, repeated: false });
  });

  it("is refused under the key of a different event, unless that event was pruned", async () => {
    const { log, post } = await serve();
    const run = await startRun(log);
    const send = (event: object) => post(`/v1/runs/${run.run_id}/events`, event, { "idempotency-key": "build-7" });
    const first = { type: "acme.built", data: { build: 7.0, at: 1 }, note: "Done." };
    await send(first);
    for (const other of [{ ...first, type: "acme.shipped" }, { ...first, note: "Done!" }, {}]) {
      const response = await send(other);
      expect([response.status, await response.json()]).toMatchObject([422, { error: { code: "key_reused" } }]);
    }
    const receipt = { type: "acme.built", sequence: 1, repeated: true };
    expect(await (await send(first)).json()).toMatchObject(receipt);
    await run.add(1);
    await log.upkeep.prune(run.run_id, 2, "operator");
    expect(await (await send(first)).json()).toMatchObject(receipt);
  });

  it("is stored with its secrets redacted", async () => {
    const { log, post } = await serve();
    const run = await startRun(log);
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const send = () =>
      post(
        `/v1/runs/${run.run_id}/events`,
        { data: { env: { TOKEN: secret } }, note: "x" },
        { "idempotency-key": "k" },
      );
    expect(await (await send()).json()).toMatchObject({ repeated: false });
    expect(await (await send()).json()).toMatchObject({ repeated: true });
    const text = await stored(log, run.run_id);
    expect(text).not.toContain(secret);
    expect(text).toContain('"redacted_paths":["env.TOKEN"]');
  });

  it("is stored without the values of fields whose names mark them as secret", async () => {
    const { log, post } = await serve();
    const run = await startRun(log);
    const data = {
      password: "two words",
      db: { pass: 12345, user: "ann", api_key: "sunshine" },
      env: [{ name: "SMTP_PASSWORD", value: "tr0ub4dor" }],
      url: "postgres://app:p/ss@w0rd@db/main",
      note: "machine a.example login ann password tr0ub4dor",
    };
    expect((await post(`/v1/runs/${run.run_id}/events`, { data })).status).toBe(201);
    const [, line = ""] = (await stored(log, run.run_id)).trimEnd().split("\n");
    expect(JSON.parse(line).data).toEqual({
      password: "[redacted:password]",
      db: { pass: "[redacted:password]", user: "ann", api_key: "[redacted:secret]" },
      env: [{ name: "SMTP_PASSWORD", value: "[redacted:password]" }],
      url: "postgres://app:[redacted:password]@db/main",
      note: "machine a.example login ann password [redacted:netrc-password]",
      redacted_paths: ["password", "db.pass", "db.api_key", "env.0.value", "url", "note"],
    });
  });

  it("cannot have a type of Spoor's groups, also not an undefined one", async () => {
    const { log, post } = await serve();
    const run = await startRun(log);
    const known = envelopeCatalog.map(({ type }) => type);
    const groups = new Set(known.map((type) => type.split(".")[0]));
    const types = [...known, ...[...groups].map((group) => `${group}.of_a_caller`), "model.call.started"];
    for (const type of types.filter((type) => type !== "external.event")) {
      const response = await post(`/v1/runs/${run.run_id}/events`, { type });
      expect([type, response.status]).toEqual([type, 400]);
      expect(await response.json()).toMatchObject({ error: { code: "reserved_type" } });
    }
  });

  it.each([
    ["invalid_json", 400, "{"],
    ["invalid_json", 400, ""],
    ["invalid_json", 400, "\u0000"],
    ["invalid_json", 400, `{"data":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`],
    ["invalid_body", 400, "null"],
    ["invalid_body", 400, "[]"],
    ["invalid_body", 400, '"text"'],
    ["invalid_body", 400, '{"data":[]}'],
    ["invalid_body", 400, '{"data":null}'],
    ["invalid_body", 400, '{"type":"nodot"}'],
    ["invalid_body", 400, '{"type":"Acme.Done"}'],
    ["invalid_body", 400, '{"type":"acme.done\\n"}'],
    ["invalid_body", 400, '{"note":7}'],
    ["invalid_body", 400, '{"data":{"note":7}}'],
    ["invalid_body", 400, '{"sequence":7}'],
    ["invalid_body", 400, '{"__proto__":{"type":"a.b"}}'],
    ["body_too_large", 413, JSON.stringify({ note: "x".repeat(1024 * 1024) })],
  ])("is refused with %s", async (code, status, body) => {
    const { log, post } = await serve();
    const run = await startRun(log);
    const response = await post(`/v1/runs/${run.run_id}/events`, body);
    expect([((await response.json()) as { error: { code: string } }).error.code, response.status]).toEqual([
      code,
      status,
    ]);
    expect((await log.run(run.run_id))?.last_sequence).toBe(0);
  });

  it("is refused for invalid UTF-8 and for an invalid key", async () => {
    const { log, post, server } = await serve();
    const run = await startRun(log);
    const key = await post(`/v1/runs/${run.run_id}/events`, {}, { "idempotency-key": "x".repeat(256) });
    expect(key.status).toBe(400);
    const response = await fetch(`${server.url}/v1/runs/${run.run_id}/events`, {
      method: "POST",
      headers: { authorization: "Bearer a-token-that-is-only-for-tests", "content-type": "application/json" },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(await response.json()).toMatchObject({ error: { code: "invalid_json" } });
  });
});

const naughty = [
  "",
  "\u0000\u0001\u001b[2J\u007f\u0085",
  "\r\n\r\ndata: {}\nid: 7\nevent: bye\n\n",
  "\u2028\u2029\ufeff\u202e\u200b",
  "\ud800 alone, and \udc00",
  "𝕳😀👩‍👩‍👧‍👦 é é",
  "<img src=x onerror=alert(1)>]]>&\"'`",
  '\\u0000\\\\"}]},{"type":"run.finished"',
  '","type":"run.finished","data":{}}\n{"schema_version":"1"',
  "%s %n {{7*7}}; DROP TABLE runs; --",
  "../../etc/passwd\u0000.txt",
];
const hostile = [
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":1}',
  '{"n":[1e400,-1e400,9007199254740993,-0,0.1,1.0,1E2,123456789012345678901234567890]}',
  '{"type":"run.finished","sequence":-5,"run_id":"run_x","data":{"type":"run.failed"}}',
  '{"":{"":{"":[[[[]]]]}}}',
  '{"toString":null,"toJSON":"no","then":true,"length":-1}',
  JSON.stringify(Array.from({ length: 150 }).reduce((inner) => ({ in: inner }), {})),
];

describe("free text and hostile JSON", () => {
  it("are returned as they were sent, in every field and transport", async () => {
    const { log, post, get } = await serve();
    const run = await startRun(log);
    const sent: string[] = [];
    for (const text of naughty) {
      for (const field of ["note", "status", "step_id", "data"]) {
        const value = field === "data" ? { [text]: [text, { [text]: text }] } : text;
        expect((await post(`/v1/runs/${run.run_id}/events`, { [field]: value })).status).toBe(201);
        sent.push(JSON.stringify(field === "data" ? value : { [field]: value }));
      }
    }
    for (const data of hostile) {
      expect((await post(`/v1/runs/${run.run_id}/events`, `{"data":${data}}`)).status).toBe(201);
      sent.push(data);
    }
    const lines = (await stored(log, run.run_id)).trimEnd().split("\n").slice(1);
    expect(lines.map((line) => line.slice(line.indexOf('"data":') + 7, -1))).toEqual(sent);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();

    const bulk = await (
      await get(`/v1/runs/${run.run_id}/events?after_sequence=0`, { accept: "application/x-ndjson" })
    ).text();
    expect(bulk.trimEnd().split("\n")).toEqual(lines);
    await run.finish();
    const frames = await framesOf(
      await get(`/v1/runs/${run.run_id}/events?after_sequence=0`, { accept: "text/event-stream" }),
    );
    expect(frames.slice(1, -1).map(({ data }) => data)).toEqual(lines);
  });
});
