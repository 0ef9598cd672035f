import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { toy } from "../../testing/run/toy-adapter.ts";
import { createClient } from "../client.ts";
import { SpoorError, ValidationError } from "../failures/errors.ts";
import { MAX_ATTACHMENT_BYTES } from "./attachments.ts";
import { runOptions } from "./run-options.ts";
import { optionProblems } from "./validate.ts";

const folder = mkdtempSync(join(tmpdir(), "spoor-options-"));
afterAll(() => rmSync(folder, { recursive: true }));
const client = createClient({ adapters: [toy], configDir: folder });

function refusal(options: object): SpoorError {
  try {
    client.run({ agent: "toy", prompt: "say x", ...options });
  } catch (error) {
    if (error instanceof SpoorError) return error;
    throw error;
  }
  throw new Error("The run started.");
}

describe("invalid options", () => {
  it.each([
    [{ prompt: 7 }, "prompt must be text, or a list of texts, not 7."],
    [{ prompt: " " }, "The prompt is empty."],
    [{ prompt: [] }, "The prompt is empty."],
    [{ maxTurns: 0 }, "maxTurns must be a whole number of at least 1, not 0."],
    [{ maxTurns: 1.5 }, "maxTurns must be a whole number"],
    [{ timeout: -1 }, "timeout must be a whole number of at least 0"],
    [{ timeout: "60" }, 'not "60"'],
    [{ timeout: null }, "not null"],
    [{ thinkingBudgetTokens: 10 }, "at least 1024"],
    [{ stream: "yes" }, 'stream must be one of "auto", true, false, not "yes".'],
    [{ approve: "maybe" }, 'one of "ask", "auto", "deny", "prompt", "yolo"'],
    [{ resume: "a", fork: "b" }, "resume and fork exclude each other: keep one."],
    [{ sessionId: "a", noSession: true }, "noSession and sessionId exclude"],
    [{ runId: "run-1" }, "runId must be a ULID"],
    [{ cwd: join(folder, "nowhere") }, "cwd must be a folder that exists"],
    [{ modle: "x" }, "modle is not known. Known: agent, prompt"],
    [{ __proto__pollution: 1 }, "is not known"],
    [{ passEnv: ["*"] }, "passEnv[0] must be the name of a variable"],
    [{ env: { A: 1 } }, "env.A must be text, not 1."],
    [{ onApprovalRequest: "yes" }, "onApprovalRequest must be a function"],
    [{ retryPolicy: { maxAttempts: -1, often: 1 } }, "retryPolicy.often is not known"],
    [{ retryPolicy: { retryOn: ["ABORTED"] } }, "retryPolicy.retryOn[0] must be one of"],
    [{ mcpServers: [{ name: "a b", command: "x" }] }, "mcpServers[0].name must be letters"],
    [{ mcpServers: [{ name: "a" }] }, "mcpServers[0].command is missing."],
    [{ mcpServers: [{ name: "a", url: "http://localhost/" }] }, "mcpServers[0].transport is missing."],
    [{ mcpServers: ["a", "b"].map(() => ({ name: "twice", command: "x" })) }, 'Two MCP servers are named "twice".'],
    [{ attachments: [{ filePath: "/a", url: "b" }] }, "attachments[0] must have one of filePath, url and base64."],
    [{ attachments: [{ base64: "AAAA" }] }, "attachments[0].mimeType is missing"],
    [{ attachments: [{ base64: "!", mimeType: "image/png" }] }, "The attachment is empty or is not base64."],
    [{ attachments: [{ filePath: join(folder, "none.png") }] }, "Cannot attach"],
    [{ profile: "../../etc/passwd" }, "profile must be a name"],
  ])("%j are refused with a message that says what is wrong", (options, message) => {
    const error = refusal(options);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(error.message).toContain(message);
  });

  it("are reported all at once", () => {
    const error = refusal({ maxTurns: 0, stream: 1, nonsense: true });
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).problems.map(({ field }) => field)).toEqual(["maxTurns", "stream", "nonsense"]);
  });

  it("are reported for any value, and never crash the check", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(runOptions)), fc.anything(), (name, value) => {
        for (const { field, message } of optionProblems({ [name]: value }, "run")) {
          expect(field.startsWith(name)).toBe(true);
          expect(message).toMatch(/\.$/);
        }
      }),
    );
  });
});

describe("what an agent does not support", () => {
  it.each([
    [{ fork: "a" }, "fork", "toy does not support forking a session on its toy dialect."],
    [{ systemPrompt: "Be kind." }, "systemPrompt", "toy does not support a system prompt"],
    [{ attachments: [{ url: "http://localhost/a.png" }] }, "imageUrls", "image attachments by URL"],
    [{ attachments: [{ base64: "AAAA", mimeType: "application/pdf" }] }, "documents", "text or PDF attachments"],
    [{ attachments: [{ base64: "AAAA", mimeType: "application/zip" }] }, "files", "attachments of this type"],
    [{ attachments: [{ url: "http://localhost/a.pdf" }] }, "files", "attachments of this type"],
    [{ attachments: [{ filePath: fileURLToPath(import.meta.url) }] }, "documents", "text or PDF attachments"],
    [{ mcpServers: [{ name: "a", url: "http://localhost/", transport: "sse" }] }, "sseMcpServers", "over SSE"],
    [{ temperature: 1 }, "temperature", "No agent supports temperature: agents choose it themselves."],
  ])("%j is refused before anything runs", (options, capability, message) => {
    const error = refusal(options);
    expect(error).toMatchObject({ code: "CAPABILITY_ERROR", capability });
    expect(error.message).toContain(message);
  });

  it("runs on another dialect that supports it, and names that dialect where the caller chose one that does not", () => {
    const named = { agent: "gemini", dialect: "stream-json", mcpServers: [{ name: "notes", command: "notes" }] };
    expect(refusal(named).message).toMatch(/In the dialect stream-json Gemini.*Its acp dialect does\./);
    const piped = refusal({ agent: "pi", mcpServers: [{ name: "notes", command: "notes" }] });
    expect(piped.message).toContain("Pi does not support MCP.");
  });
});

describe("attachments", () => {
  const png = Buffer.from("89504e470d0a1a0a0000", "hex");

  it("are read, recognised by their bytes, and sent with the prompt", async () => {
    writeFileSync(join(folder, "picture"), png);
    const attachments = [{ filePath: "picture" }, { base64: "R0lGODlh", mimeType: "image/gif", name: "dot" }];
    const { text } = await client.run({ agent: "toy", prompt: "attached", cwd: folder, attachments });
    expect(text).toBe(`picture:image/png:${png.toString("base64")} dot:image/gif:R0lGODlh `);
  });

  it("are refused when they are too large, with the size and the limit", () => {
    writeFileSync(join(folder, "huge.png"), Buffer.alloc(MAX_ATTACHMENT_BYTES + 1));
    expect(refusal({ attachments: [{ filePath: join(folder, "huge.png") }] }).message).toContain(
      `too large to attach: it has ${MAX_ATTACHMENT_BYTES + 1} bytes, and at most ${MAX_ATTACHMENT_BYTES} are allowed.`,
    );
  });
});
