import path from "node:path";
import { viewOf } from "@spoor/protocol";
import { CloudEvent } from "cloudevents";
import { describe, expect, test } from "vitest";
import { acolyteTranslator } from "../../src/translators/acolyte/acolyte.ts";
import { acpTranslator } from "../../src/translators/acp/acp.ts";
import { agUiTranslator } from "../../src/translators/ag-ui/ag-ui.ts";
import { aiSdkTranslator } from "../../src/translators/ai-sdk/ai-sdk.ts";
import { cloudEventTranslator } from "../../src/translators/cloudevents.ts";
import { glasspaneTranslator } from "../../src/translators/glasspane/glasspane.ts";
import { markdownOf } from "../../src/translators/markdown/markdown.ts";
import { attributesOf } from "../../src/translators/otel/otlp.ts";
import { traceOf } from "../../src/translators/otel/trace.ts";
import type { Translator } from "../../src/translators/translator.ts";
import { zotTranslator } from "../../src/translators/zot/zot.ts";
import { envelopesOf, golden } from "./golden.ts";

/** Every language, by the name of its folder of golden translations. */
const languages: Readonly<Record<string, () => Translator<object>>> = {
  acolyte: acolyteTranslator,
  acp: acpTranslator,
  "ag-ui": agUiTranslator,
  "ai-sdk": aiSdkTranslator,
  cloudevents: cloudEventTranslator,
  glasspane: glasspaneTranslator,
  zot: zotTranslator,
};

const folder = path.join(import.meta.dirname, "golden");

describe.each(Object.entries(languages))("the translation into %s", (language, translator) => {
  test.each(golden)("of %s is the committed one", async (name) => {
    const { translate } = translator();
    const lines = envelopesOf(name)
      .flatMap(translate)
      .map((message) => `${JSON.stringify(message)}\n`);
    await expect(lines.join("")).toMatchFileSnapshot(path.join(folder, language, `${name}.jsonl`));
  });

  test.each(golden)("of a beginning of %s is the beginning of the whole", (name) => {
    const envelopes = envelopesOf(name);
    const whole = translator();
    const messages = envelopes.map((envelope) => JSON.stringify(whole.translate(envelope)));
    for (let length = 0; length < envelopes.length; length += 1) {
      const { translate, cut } = translator();
      expect(envelopes.slice(0, length).map((envelope) => JSON.stringify(translate(envelope)))).toEqual(
        messages.slice(0, length),
      );
      cut();
    }
  });

  test("takes envelopes of unknown types and with missing fields", () => {
    const { translate } = translator();
    const [first] = envelopesOf("success");
    for (const envelope of envelopesOf("success")) expect(() => translate({ ...envelope, data: {} })).not.toThrow();
    if (first) expect(() => translate({ ...first, type: "future.thing", data: { x: null } })).not.toThrow();
  });
});

test.each(golden)("the CloudEvents of %s pass the validation of their own SDK", (name) => {
  const { translate } = cloudEventTranslator();
  for (const event of envelopesOf(name).flatMap(translate)) {
    expect(new CloudEvent(event as never).validate()).toBe(true);
  }
});

test.each(golden)("the trace of %s is the committed one, and the same each time", async (name) => {
  const resource = { attributes: attributesOf({ "service.name": "spoor" }) };
  const trace = JSON.stringify(traceOf(envelopesOf(name), resource), undefined, 1);
  expect(JSON.stringify(traceOf(envelopesOf(name), resource), undefined, 1)).toBe(trace);
  await expect(`${trace}\n`).toMatchFileSnapshot(path.join(folder, "otel", `${name}.json`));
});

test.each(golden)("%s as Markdown is the committed text", async (name) => {
  await expect(markdownOf(viewOf(envelopesOf(name)))).toMatchFileSnapshot(path.join(folder, "markdown", `${name}.md`));
});

test("the Markdown loads and runs nothing that an agent or a person wrote, and hides no character", () => {
  const live = "<img src=x> ![x](http://evil.test/a.png)\u202e\u001b]0;x\u0007\r";
  const hostile = envelopesOf("success").map((envelope) => ({
    ...envelope,
    data: Object.fromEntries(
      Object.entries(envelope.data).map(([name, value]) => [name, name === "text" ? live : value]),
    ),
  }));
  const text = markdownOf(viewOf(hostile));
  expect(text).toContain("\\<img src=x> !\\[x](http://evil.test/a.png)\\u202e");
  expect(text).not.toMatch(/(?<!\\)<img|!\[x|(?!\n)[\p{Cc}\p{Cf}]/u);
});

test("no text of an agent ends a fence of the Markdown", () => {
  const [created, ...rest] = envelopesOf("success");
  const hostile = rest.map((envelope) =>
    envelope.type === "tool.shell.output_chunk"
      ? { ...envelope, data: { ...envelope.data, data: "````\n# Injected\n`````\n" } }
      : envelope,
  );
  const text = markdownOf(viewOf([created, ...hostile].filter((envelope) => envelope !== undefined)));
  expect(text).toContain("``````console");
});
