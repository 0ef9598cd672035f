import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { Envelope } from "@spoor/protocol";
import { expect, test } from "vitest";
import { problemsOf } from "../../../testing/acp/schema.ts";
import { envelopesOf } from "../../../testing/translators/golden.ts";
import { acpTranslator } from "./acp.ts";

/** The question about a change of files that an agent asks in a project. */
function questionAbout(data: Readonly<Record<string, unknown>>): RequestPermissionRequest["toolCall"] {
  const [created, ...rest] = envelopesOf("approval-approved");
  const asked = rest.find(({ type }) => type === "approval.requested");
  if (!created || !asked) throw new Error("The golden stream has no question.");
  const { translate } = acpTranslator();
  translate({ ...created, data: { ...created.data, workspace_path: "/home/dev/app" } });
  const about = { approval_id: "appr_1", tool_call_id: "call_1", kind: "file_write", cwd: "/home/dev/app", ...data };
  const messages = translate({ ...asked, data: about } as Envelope);
  const question = messages.flatMap(({ method, params }) =>
    method === "session/request_permission" ? [params] : [],
  )[0];
  if (!question) throw new Error("Nothing is asked.");
  expect(problemsOf("RequestPermissionRequest", question)).toEqual([]);
  return question.toolCall;
}

const change = (file: string, before: string, after: string): string =>
  `--- a/${file}\n+++ b/${file}\n@@ -1,1 +1,1 @@\n-${before}\n+${after}\n`;

test("the question about a file names the tool and the file in the project, and shows the change", () => {
  expect(
    questionAbout({
      tool_name: "Edit",
      summary: "/home/dev/app/src/a.ts",
      detail: "/home/dev/app/src/a.ts",
      input: { file_path: "/home/dev/app/src/a.ts", old_string: "one", new_string: "two" },
      diff: change("home/dev/app/src/a.ts", "one", "two"),
    }),
  ).toMatchObject({
    title: "Edit: src/a.ts",
    locations: [{ path: "/home/dev/app/src/a.ts" }],
    content: [{ type: "diff", path: "/home/dev/app/src/a.ts", oldText: "one\n", newText: "two\n" }],
  });
});

test("the question about several files shows the change of each", () => {
  const changes = [
    { path: "/home/dev/app/a.ts", kind: { type: "update" }, diff: "@@ -1,1 +1,1 @@\n-one\n+two\n" },
    { path: "/elsewhere/b.ts", kind: { type: "add" }, diff: "new\n" },
  ];
  const added = "--- a/elsewhere/b.ts\n+++ b/elsewhere/b.ts\n@@ -0,0 +1,1 @@\n+new\n";
  const diff = `${change("home/dev/app/a.ts", "one", "two")}${added}`;
  const asked = questionAbout({ tool_name: "apply_patch", summary: "two files", input: { changes }, diff });
  expect(asked.locations).toEqual([{ path: "/home/dev/app/a.ts" }, { path: "/elsewhere/b.ts" }]);
  expect(asked.content).toEqual([
    { type: "diff", path: "/home/dev/app/a.ts", oldText: "one\n", newText: "two\n" },
    { type: "diff", path: "/elsewhere/b.ts", newText: "new\n" },
  ]);
});

test("a diff names files that the input does not name", () => {
  const asked = questionAbout({ tool_name: "patch", input: {}, diff: change("src/a.ts", "one", "two") });
  expect(asked.content).toMatchObject([{ type: "diff", path: "/home/dev/app/src/a.ts" }]);
  expect(asked.locations).toEqual([{ path: "/home/dev/app/src/a.ts" }]);
});

test("a patch in another form is shown as it is", () => {
  const diff = "*** Begin Patch\n*** Add File: a.ts\n+one\n*** End Patch\n";
  const { content } = questionAbout({ tool_name: "apply_patch", summary: "a patch", input: { patch: diff }, diff });
  expect(content).toEqual([{ type: "content", content: { type: "text", text: expect.stringContaining(diff) } }]);
});
