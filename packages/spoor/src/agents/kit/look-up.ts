/** The row of this name. Names come from the agent, and objects have names of their own, such as `constructor`. */
export const lookUp = <Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
