/**
 * OTLP in protobuf: the same messages as in JSON, by one table of fields. Only fields that Spoor writes are in it.
 * `[number, type]`; a type in brackets is repeated; other names are messages.
 */
const messages = {
  ExportTraceServiceRequest: { resourceSpans: [1, ["ResourceSpans"]] },
  ResourceSpans: { resource: [1, "Resource"], scopeSpans: [2, ["ScopeSpans"]] },
  ScopeSpans: { scope: [1, "Scope"], spans: [2, ["Span"]] },
  Span: {
    traceId: [1, "hex"],
    spanId: [2, "hex"],
    parentSpanId: [4, "hex"],
    name: [5, "string"],
    kind: [6, "int"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, ["KeyValue"]],
    links: [13, ["Link"]],
    status: [15, "Status"],
  },
  Link: { traceId: [1, "hex"], spanId: [2, "hex"] },
  Status: { message: [2, "string"], code: [3, "int"] },
  ExportMetricsServiceRequest: { resourceMetrics: [1, ["ResourceMetrics"]] },
  ResourceMetrics: { resource: [1, "Resource"], scopeMetrics: [2, ["ScopeMetrics"]] },
  ScopeMetrics: { scope: [1, "Scope"], metrics: [2, ["Metric"]] },
  Metric: {
    name: [1, "string"],
    description: [2, "string"],
    unit: [3, "string"],
    sum: [7, "Sum"],
    histogram: [9, "Histogram"],
  },
  Sum: { dataPoints: [1, ["NumberPoint"]], aggregationTemporality: [2, "int"], isMonotonic: [3, "bool"] },
  Histogram: { dataPoints: [1, ["HistogramPoint"]], aggregationTemporality: [2, "int"] },
  NumberPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    asDouble: [4, "double"],
    asInt: [6, "fixed64"],
    attributes: [7, ["KeyValue"]],
  },
  HistogramPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    count: [4, "fixed64"],
    sum: [5, "double"],
    bucketCounts: [6, ["fixed64"]],
    explicitBounds: [7, ["double"]],
    attributes: [9, ["KeyValue"]],
    min: [11, "double"],
    max: [12, "double"],
  },
  Resource: { attributes: [1, ["KeyValue"]] },
  Scope: { name: [1, "string"] },
  KeyValue: { key: [1, "string"], value: [2, "AnyValue"] },
  AnyValue: {
    stringValue: [1, "string"],
    boolValue: [2, "bool"],
    intValue: [3, "int"],
    doubleValue: [4, "double"],
    arrayValue: [5, "ArrayValue"],
  },
  ArrayValue: { values: [1, ["AnyValue"]] },
} as const satisfies Record<string, Record<string, readonly [number, FieldType | readonly [FieldType]]>>;

type FieldType = Scalar | (string & {});
type Scalar = keyof typeof scalars;
type MessageName = keyof typeof messages;
export type RequestName = "ExportTraceServiceRequest" | "ExportMetricsServiceRequest";

/** Encodes a message that is given as the object of its JSON. */
export const encodeMessage = (name: RequestName, message: object): Buffer => Buffer.concat(fieldsOf(name, message));

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** How a scalar is written: its wire type, and its bytes without a length. */
const scalars = {
  string: { wire: BYTES, bytes: (value: unknown) => Buffer.from(String(value)) },
  hex: { wire: BYTES, bytes: (value: unknown) => Buffer.from(String(value), "hex") },
  int: { wire: VARINT, bytes: (value: unknown) => varint(BigInt.asUintN(64, BigInt(value as string))) },
  bool: { wire: VARINT, bytes: (value: unknown) => Buffer.from([value ? 1 : 0]) },
  fixed64: {
    wire: FIXED64,
    bytes(value: unknown) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value as string)));
      return bytes;
    },
  },
  double: {
    wire: FIXED64,
    bytes(value: unknown) {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value as number);
      return bytes;
    },
  },
} as const;

function fieldsOf(name: MessageName, message: object): Buffer[] {
  const fields: Readonly<Record<string, readonly [number, string | readonly [string]]>> = messages[name];
  return Object.entries(message).flatMap(([key, value]): Buffer[] => {
    const field = fields[key];
    if (!field) throw new Error(`The table of OTLP's protobuf has no field ${name}.${key}.`);
    if (value === undefined) return [];
    const [number, type] = field;
    if (typeof type === "string") return encodedField(number, type, value);
    const [item] = type;
    const values = value as readonly unknown[];
    // Repeated numbers are packed.
    if (isScalar(item) && scalars[item].wire !== BYTES)
      return values.length === 0 ? [] : withLength(number, Buffer.concat(values.map(scalars[item].bytes)));
    return values.flatMap((one) => encodedField(number, item, one));
  });
}

function encodedField(number: number, type: string, value: unknown): Buffer[] {
  if (!isScalar(type)) return withLength(number, Buffer.concat(fieldsOf(type as MessageName, value as object)));
  const { wire, bytes } = scalars[type];
  return wire === BYTES ? withLength(number, bytes(value)) : [tag(number, wire), bytes(value)];
}

const isScalar = (type: string): type is Scalar => Object.hasOwn(scalars, type);
const tag = (number: number, wire: number): Buffer => varint(BigInt((number << 3) | wire));
const withLength = (number: number, bytes: Buffer): Buffer[] => [
  tag(number, BYTES),
  varint(BigInt(bytes.length)),
  bytes,
];

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

/** Reads the answer to a request: how much was rejected, and why. */
export function decodePartialSuccess(body: Buffer): { rejected: number; message: string } {
  const partial = readFields(body).get(1);
  const fields = partial instanceof Buffer ? readFields(partial) : new Map<number, bigint | Buffer>();
  return { rejected: Number(fields.get(1) ?? 0), message: fields.get(2)?.toString() ?? "" };
}

/** The fields of a message that has varints and bytes only, by number. */
function readFields(bytes: Buffer): Map<number, bigint | Buffer> {
  const fields = new Map<number, bigint | Buffer>();
  let at = 0;
  const next = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new Error("The message ends too early.");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(next());
    const wire = key & 7;
    if (wire === VARINT) fields.set(key >> 3, next());
    else if (wire === BYTES) {
      const length = Number(next());
      fields.set(key >> 3, bytes.subarray(at, at + length));
      at += length;
    } else throw new Error("The message has a field of an unexpected kind.");
  }
  return fields;
}
