/** The fields with optional values: none of them may be `undefined`. */
export type WithoutUndefined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/**
 * The fields that are not `undefined`. Signals must not contain undefined fields.
 *
 * @example
 * omitUndefined({ id: "1", cwd: undefined }); // { id: "1" }
 */
export function omitUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const result: WithoutUndefined<Fields> = {};
  for (const name in fields) {
    if (fields[name] !== undefined) result[name] = fields[name] as Exclude<(typeof fields)[typeof name], undefined>;
  }
  return result;
}
