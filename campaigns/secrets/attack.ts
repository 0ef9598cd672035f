import { type Example, type Kind, knownKinds } from "../../packages/spoor/src/runtime/redaction/kinds/index.ts";
import { channels } from "./channels.ts";
import type { Stage } from "./stage.ts";

/** The secrets that went through one channel, with the details needed to repeat the case. */
export interface Attack {
  secrets: string[];
  describe: string;
}

/** Sends two secrets of any kinds through every channel, one right after the other. */
export function attackChannels(stage: Stage, random: () => number): Attack[] {
  return Object.entries(channels).map(([channel, { play, hasFrames = false }], index) => {
    const kinds = [anyOf(knownKinds, random), anyOf(knownKinds, random)] as const;
    const examples = [kinds[0].example(random), kinds[1].example(random)] as const;
    const gap =
      hasFrames || mayTouch(kinds, examples) ? anyOf(["", " ", "\n"], random) : anyOf([" ", "\n", ", "], random);
    const texts = [textOf(examples[0]) + gap, textOf(examples[1])];
    const pieces = texts.flatMap((text) => cut(text, random));
    play(stage, { pieces, whole: texts.join(""), id: `call-${index}` });
    return {
      secrets: examples.map(({ secret }) => secret),
      describe: `${kinds.map(({ name }) => name).join(", then ")} in ${channel} as ${JSON.stringify(pieces)}`,
    };
  });
}

/** Values that only their names give away: variables that the agent prints and fields that callers post. */
export function attackNames(stage: Stage, random: () => number): Attack[] {
  const word = (): string =>
    Array.from({ length: 14 }, () => anyOf([..."abcdefghijklmnopqrstuvwxyz"], random)).join("");
  const variable = anyOf(["DB_PASS", "PGPASSWORD", "MY_SECRET", "ACME_TOKEN", "OPENAI_API_KEY", "SMTP_PWD"], random);
  const field = anyOf(["password", "api_key", "clientSecret", "db_password", "passphrase", "secretKey"], random);
  const [value, posted] = [word(), word()];
  stage.environment[variable] = value;
  stage.script.message(...cut(`It is ${value}.`, random));
  stage.script.message(`In base64 it is ${Buffer.from(`x:${value}`).toString("base64")}.`);
  stage.lines.push(
    ...cut(`It is ${value}.`, random).map((text) => ({ from: "stdout" as const, text: JSON.stringify({ text }) })),
  );
  stage.posted.push({ data: { settings: { [field]: posted } } });
  return [
    { secrets: [value], describe: `The value of ${variable}, printed by the agent,` },
    { secrets: [posted], describe: `The posted field ${field}` },
  ];
}

/** Within one text, a secret that is only detected at a word boundary needs a separator before it. */
const mayTouch = ([, second]: readonly [Kind, Kind], [first]: readonly [Example, Example]): boolean =>
  second.inWord !== undefined || first.after === "";

/** Cuts the text into one, two, three or very many pieces. */
function cut(text: string, random: () => number): string[] {
  const count = anyOf([0, 1, 1, 1, 2, 2, 12], random);
  const places = Array.from({ length: count }, () => Math.floor(random() * (text.length + 1)));
  const bounds = [0, ...places.sort((a, b) => a - b), text.length];
  return bounds.slice(1).map((bound, index) => text.slice(bounds[index], bound));
}

const textOf = ({ before, secret, after }: Example): string => before + secret + after;

const anyOf = <Item>(items: readonly Item[], random: () => number): Item =>
  items[Math.floor(random() * items.length)] as Item;
