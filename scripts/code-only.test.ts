import { expect, test } from "vitest";
import { codeOnly } from "./code-only.ts";

const code = `import { a } from "./a.ts";
export const b = (url: string): string => \`\${a} // \${url}\`;
export const c = "http://example.test/*";
export const d = /[/*]+/;
`;

test("a digest does not change with comments, blank lines and spaces at the ends of lines", () => {
  const commented = `// A comment.

import { a } from "./a.ts"; // Another one.

/**
 * Returns an address.
 *
 * @example
 * b("http://example.test");
 */
export const b = (url: string): string => \`\${a} // \${url}\`;   
/* In between. */
export const c = "http://example.test/*";

export const d = /[/*]+/;


`;
  expect(codeOnly("a.ts", commented)).toBe(codeOnly("a.ts", code));
});

test.for([
  ["a name", "const b", "const e"],
  ["a type", "(url: string)", "(url: unknown)"],
  ["text behind slashes in a template", "} // $", "} // x $"],
  ["text behind slashes in a string", "http://example.test/*", "http://example.test/x"],
  ["a pattern", "[/*]", "[/x*]"],
  ["a blank line in a template", "} // ", "}\n\n // "],
  ["a space at the end of a line in a template", "} // ", "} \n // "],
])("a digest changes with %s", ([, before = "", after = ""]) => {
  expect(code).toContain(before);
  expect(codeOnly("a.ts", code.replace(before, after))).not.toBe(codeOnly("a.ts", code));
});

test("blank lines and spaces inside a template are part of the code", () => {
  const text = "const a = `x  \n\n  \n y`;\n";
  expect(codeOnly("a.ts", text)).toBe("const a = `x  \n\n  \n y`;");
});

test("a file that cannot be parsed has no digest", () => {
  expect(() => codeOnly("a.ts", "const = 1;")).toThrow(/a\.ts is not valid TypeScript/);
});
