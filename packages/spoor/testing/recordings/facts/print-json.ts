const WIDTH = 120;

/**
 * JSON in the format of the repository's formatter: objects line by line, a list of plain values on one line if it
 * fits.
 */
export function printJson(value: unknown, indent = "", taken = 0): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
    const isPlain = value.every((item) => typeof item !== "object" || item === null);
    if (value.length === 0 || (isPlain && indent.length + taken + line.length + 1 <= WIDTH)) return line;
    return `[\n${value.map((item) => inner + printJson(item, inner)).join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return "{}";
  const lines = fields.map(([name, field]) => {
    const key = `${JSON.stringify(name)}: `;
    return inner + key + printJson(field, inner, key.length);
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
