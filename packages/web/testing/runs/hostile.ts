import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { Script } from "../../../protocol/testing/script.ts";
import { recordEvents } from "./recorded.ts";

const newId = createUlidSource();

/** Texts with which an agent may try to take the page over, to deceive its reader, or to reach another host. */
export const hostileTexts = {
  script: `<script>alert("script")</script>`,
  image: `<img src="http://evil.test/a.png" onerror="alert('image')">`,
  frame: `<iframe src="http://evil.test/"></iframe><object data="http://evil.test/"></object>`,
  svg: `<svg onload="alert('svg')"><a href="javascript:alert(1)">x</a></svg>`,
  style: `<style>body { display: none }</style><link rel="stylesheet" href="http://evil.test/a.css">`,
  form: `<form action="http://evil.test/"><button autofocus onfocus="alert('form')">Approve</button></form>`,
  markdown: `![picture](http://evil.test/b.png) [click](javascript:alert("link")) [data](data:text/html,<b>x</b>) <http://evil.test/>`,
  reference: `[shown.example][1]\n\n[1]: http://evil.test/ "title"`,
  bidi: `safe\u202egnp.exe\u202c end`,
  invisible: `in\u200bvis\u2060ible\ufeff and tag\u{e0041}\u{e0042}`,
  terminal: `\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u001b[0m\u001b]8;;http://evil.test/\u0007link\u001b]8;;\u0007`,
  controls: `bell\u0007 back\b\b\b null\u0000 next\u0085 line\u2028para\u2029 half\ud800`,
  template: "\u0024{alert(1)} {{alert(1)}} <%= alert(1) %> `alert(1)`",
  wide: "W".repeat(3_000),
  combining: `a${"\u0301".repeat(200)}`,
  entity: `&lt;b&gt; &#x3c;script&#x3e; %3Cscript%3E`,
} as const;

/** Records a run whose every text is hostile. Returns its id. */
export const hostileRun = (data: string): Promise<string> => recordEvents(data, hostileEvents());

function hostileEvents(): AgentEvent[] {
  const texts = Object.values(hostileTexts);
  const script = new Script({ runId: newId(), startAt: Date.now() - 60_000 });
  script.begin();
  for (const text of texts) {
    script.turn({ model: text.slice(0, 80) });
    script.thinking(text);
    script.message(
      text,
      "\n\n```html\n",
      text,
      "\n```\n\n| a | b |\n|---|---|\n| ",
      text.replaceAll("\n", " "),
      " | x |\n",
    );
    const id = `call-${newId()}`;
    script.tool({ id, name: "Bash", kind: "shell", input: { command: text, description: text } });
    script.shell(id, text, { stdout: `${text}\n`, stderr: `${text}\n`, exitCode: 1 });
    script.result(id, "Bash", text);
    const edit = `edit-${newId()}`;
    const path = `src/${text.replaceAll("/", "∕").slice(0, 100)}.js`;
    script.tool({
      id: edit,
      name: "Edit",
      kind: "edit",
      input: { file_path: path, old_string: "a", new_string: text },
    });
    script.emit("file_patch", { path, diff: diffOf(path, text), toolCallId: edit });
    script.result(edit, "Edit", { text, [text.slice(0, 60)]: text });
    const other = `other-${newId()}`;
    script.tool({
      id: other,
      name: text.slice(0, 80),
      kind: "other",
      input: { [text.slice(0, 60)]: text, nested: [text] },
    });
    script.emit("tool_error", { toolCallId: other, toolName: text.slice(0, 80), error: text });
    script.emit("error", { code: "INTERNAL", message: text, recoverable: true });
    script.endTurn();
  }
  return script.end().events;
}

const diffOf = (path: string, text: string): string =>
  `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@ ${text.split("\n", 1).join("").slice(0, 80)}\n context\n-a\n+${text.replaceAll("\n", " ")}\n`;
