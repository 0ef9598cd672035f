/**
 * The table's own entry of this name. Names come from the agent, so a built-in name such as `constructor` must not
 * match.
 */
export const lookUp = <Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
