/** A call that a hostile text asks for. */
export interface Attack {
  /** The attack of which this is a form, such as `E1`. */
  id: string;
  tool: string;
  input: unknown;
  /**
   * What holds it in a run that allows everything: the sandbox, which the user can give up, or rules and tools, which hold in
   * every mode.
   */
  heldBy: "sandbox" | "always";
}

/** Where an attack takes place: values for `{home}`, `{data}`, `{out}`, `{work}`, `{port}` and `{spoor}`. */
export type Place = Readonly<Record<"home" | "data" | "out" | "work" | "port" | "spoor", string>>;

/** Fills in the names of a place, also inside lists and objects. */
export function inPlace<T>(value: T, place: Place): T {
  if (typeof value === "string")
    return value.replace(/\{(home|data|out|work|port|spoor)\}/g, (_, name: keyof Place) => place[name]) as T;
  if (Array.isArray(value)) return value.map((each) => inPlace(each, place)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inPlace(each, place)])) as T;
}
