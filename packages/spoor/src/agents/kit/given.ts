export type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that have a value: a signal has no field that is `undefined`. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  const result: Given<Fields> = {};
  for (const name in fields) {
    if (fields[name] !== undefined) result[name] = fields[name] as Exclude<(typeof fields)[typeof name], undefined>;
  }
  return result;
}
