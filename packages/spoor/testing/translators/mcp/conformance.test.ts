import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLog } from "../../../src/log/open.ts";
import { createHttpSessions } from "../../../src/translators/mcp/transports/http-sessions.ts";
import { appendGolden } from "../../cli/logs.ts";
import { createPlace } from "../../cli/process.ts";
import { startServer } from "../../server/server-process.ts";
import { connect } from "./client.ts";
import { createExampleServer } from "./example-server.ts";
import { startMcp } from "./processes.ts";

const require = createRequire(import.meta.url);
const suite = path.join(
  path.dirname(require.resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

/** The scenarios of the official suite that say something about every server. */
const general = [
  ...["server-initialize", "ping", "logging-set-level", "completion-complete", "tools-list"],
  ...["resources-list", "resources-subscribe", "resources-unsubscribe"],
  ...["server-sse-multiple-streams", "dns-rebinding-protection"],
];

/**
 * The suite asks here in a version of the protocol whose streams do not begin with an event, so it can only warn. The official
 * client comes back to a stream instead.
 */
const withoutVerdict = ["server-sse-polling"];

/** The scenarios that ask for something that only an example server has, and what that is. They judge our transport by one. */
const ofExample: Readonly<Record<string, string>> = {
  "tools-call-simple-text": "the tool test_simple_text",
  "tools-call-image": "the tool test_image_content",
  "tools-call-audio": "the tool test_audio_content",
  "tools-call-embedded-resource": "the tool test_embedded_resource",
  "tools-call-mixed-content": "the tool test_multiple_content_types",
  "tools-call-with-logging": "the tool test_tool_with_logging",
  "tools-call-error": "the tool test_error_handling",
  "tools-call-with-progress": "the tool test_tool_with_progress",
  "tools-call-sampling": "the tool test_sampling",
  "tools-call-elicitation": "the tool test_elicitation",
  "json-schema-2020-12": "the tool json_schema_2020_12_tool",
  "elicitation-sep1034-defaults": "the tool test_elicitation_sep1034_defaults",
  "elicitation-sep1330-enums": "the tool test_elicitation_sep1330_enums",
  "resources-read-text": "the resource test://static-text",
  "resources-read-binary": "the resource test://static-binary",
  "resources-templates-read": "the resource test://template/123/data",
  "prompts-list": "prompts, and this server has none",
  "prompts-get-simple": "the prompt test_simple_prompt",
  "prompts-get-with-args": "the prompt test_prompt_with_arguments",
  "prompts-get-embedded-resource": "the prompt test_prompt_with_embedded_resource",
  "prompts-get-with-image": "the prompt test_prompt_with_image",
};

describe("the official conformance suite of MCP", { timeout: 120_000 }, () => {
  it("has no scenario that is not known here", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [suite, "list", "--server"]);
    const names = [...stdout.matchAll(/^ +- ([\w-]+) /gm)].map(([, name = ""]) => name);
    expect(names.toSorted()).toEqual([...general, ...withoutVerdict, ...Object.keys(ofExample)].toSorted());
  });

  it("passes every scenario that needs more than this server has, with an example server on our transport", async () => {
    const url = await serveExample();
    const passed = await passedScenarios(url, "none");
    expect(passed).toEqual(expect.arrayContaining([...Object.keys(ofExample), "server-sse-multiple-streams"]));
    // The server closes the stream in the middle of this call, and the official client comes back for the answer.
    const client = await connect(new StreamableHTTPClientTransport(new URL(url)));
    const { content } = await client.callTool({ name: "test_reconnection", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "The stream was closed." }]);
  });

  it("passes against `spoor mcp --http`, and against `spoor serve`", async () => {
    const place = createPlace("mcp");
    onTestFinished(place.remove);
    const log = await openLog({ directory: place.data });
    await appendGolden(log, "success");
    await log.close();
    const [own, server] = await Promise.all([startMcp(place.data), startServer(place.data)]);
    onTestFinished(() => Promise.all([own.stop(), server.stop()]).then(() => {}));
    const token = readFileSync(path.join(place.data, "token"), "utf8").trim();
    const results = await Promise.all([own.url, `${server.url}/v1/mcp`].map((url) => passedScenarios(url, token)));
    for (const passed of results) expect(passed.toSorted()).toEqual(general.toSorted());
  });
});

/** Serves the example server by the sessions of `spoor mcp --http`. */
async function serveExample(): Promise<string> {
  const sessions = createHttpSessions({ createServer: async () => createExampleServer() });
  const server = createServer((request, response) => void sessions.handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    await sessions.close();
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Runs the whole suite. Returns the scenarios with checks of which none failed. */
async function passedScenarios(url: string, token: string): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-conformance-"));
  try {
    const bearer = path.join(folder, "bearer.mjs");
    writeFileSync(bearer, sendToken);
    const argv = [suite, "server", "--url", url, "--suite", "all"];
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      TOKEN: token,
      SUITE: suite,
      NODE_OPTIONS: `--import ${bearer}`,
    };
    // It ends with an error because of the scenarios that are not for this server.
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder, env }).catch((error) => error);
    return [...stdout.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name = ""]) => name);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The suite sends no token, so this adds one to each of its requests and leaves everything else as it is. */
const sendToken = `
import { createRequire } from "node:module";
const { getGlobalDispatcher, setGlobalDispatcher } = createRequire(process.env.SUITE)("undici");
const bearer = \`Bearer \${process.env.TOKEN}\`;
const withToken = (headers) =>
  Array.isArray(headers) ? [...headers, "authorization", bearer] : { ...headers, authorization: bearer };
setGlobalDispatcher(
  getGlobalDispatcher().compose((dispatch) => (options, handler) =>
    dispatch({ ...options, headers: withToken(options.headers) }, handler)),
);
`;
