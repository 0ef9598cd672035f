/** A piece of JSON text for the eye. Keys, strings and numbers are those of the stored text, only set on lines. */
interface JsonToken {
  readonly kind: "key" | "string" | "number" | "word" | "sign";
  readonly text: string;
}

const pattern = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Sets JSON text on lines, two spaces for each level. Its values are not parsed, so nothing of them can change. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  let depth = 0;
  const tokens = text.match(pattern) ?? [];
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      depth += 1;
      const isEmpty = next === "}" || next === "]";
      yield { kind: "sign", text: isEmpty ? token : token + line() };
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const before = tokens[index - 1];
      yield { kind: "sign", text: before === "{" || before === "[" ? token : line() + token };
    } else if (token === ",") yield { kind: "sign", text: token + line() };
    else if (token === ":") yield { kind: "sign", text: ": " };
    else if (token.startsWith('"')) yield { kind: next === ":" ? "key" : "string", text: token };
    else yield { kind: /^-?\d/.test(token) ? "number" : "word", text: token };
  }
}
