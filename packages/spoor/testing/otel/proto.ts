/**
 * The messages of OTLP 1.x for traces and metrics, from `opentelemetry-proto`: every field with its number and its type. It
 * shares nothing with the exporter, because it judges it.
 */
export const messages: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  ExportTraceServiceRequest: { resourceSpans: [1, "ResourceSpans", "repeated"] },
  ResourceSpans: {
    resource: [1, "Resource"],
    scopeSpans: [2, "ScopeSpans", "repeated"],
    schemaUrl: [3, "string"],
  },
  ScopeSpans: { scope: [1, "InstrumentationScope"], spans: [2, "Span", "repeated"], schemaUrl: [3, "string"] },
  Span: {
    traceId: [1, "id16"],
    spanId: [2, "id8"],
    traceState: [3, "string"],
    parentSpanId: [4, "id8"],
    name: [5, "string"],
    kind: [6, "enum"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, "KeyValue", "repeated"],
    droppedAttributesCount: [10, "uint32"],
    events: [11, "Event", "repeated"],
    droppedEventsCount: [12, "uint32"],
    links: [13, "Link", "repeated"],
    droppedLinksCount: [14, "uint32"],
    status: [15, "Status"],
    flags: [16, "fixed32"],
  },
  Event: {
    timeUnixNano: [1, "fixed64"],
    name: [2, "string"],
    attributes: [3, "KeyValue", "repeated"],
    droppedAttributesCount: [4, "uint32"],
  },
  Link: {
    traceId: [1, "id16"],
    spanId: [2, "id8"],
    traceState: [3, "string"],
    attributes: [4, "KeyValue", "repeated"],
    droppedAttributesCount: [5, "uint32"],
    flags: [6, "fixed32"],
  },
  Status: { message: [2, "string"], code: [3, "enum"] },
  ExportMetricsServiceRequest: { resourceMetrics: [1, "ResourceMetrics", "repeated"] },
  ResourceMetrics: {
    resource: [1, "Resource"],
    scopeMetrics: [2, "ScopeMetrics", "repeated"],
    schemaUrl: [3, "string"],
  },
  ScopeMetrics: { scope: [1, "InstrumentationScope"], metrics: [2, "Metric", "repeated"], schemaUrl: [3, "string"] },
  Metric: {
    name: [1, "string"],
    description: [2, "string"],
    unit: [3, "string"],
    sum: [7, "Sum"],
    histogram: [9, "Histogram"],
    metadata: [12, "KeyValue", "repeated"],
  },
  Sum: {
    dataPoints: [1, "NumberDataPoint", "repeated"],
    aggregationTemporality: [2, "enum"],
    isMonotonic: [3, "bool"],
  },
  Histogram: { dataPoints: [1, "HistogramDataPoint", "repeated"], aggregationTemporality: [2, "enum"] },
  NumberDataPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    asDouble: [4, "double"],
    asInt: [6, "sfixed64"],
    attributes: [7, "KeyValue", "repeated"],
    flags: [8, "uint32"],
  },
  HistogramDataPoint: {
    startTimeUnixNano: [2, "fixed64"],
    timeUnixNano: [3, "fixed64"],
    count: [4, "fixed64"],
    sum: [5, "double"],
    bucketCounts: [6, "fixed64", "repeated"],
    explicitBounds: [7, "double", "repeated"],
    attributes: [9, "KeyValue", "repeated"],
    flags: [10, "uint32"],
    min: [11, "double"],
    max: [12, "double"],
  },
  Resource: { attributes: [1, "KeyValue", "repeated"], droppedAttributesCount: [2, "uint32"] },
  InstrumentationScope: {
    name: [1, "string"],
    version: [2, "string"],
    attributes: [3, "KeyValue", "repeated"],
    droppedAttributesCount: [4, "uint32"],
  },
  KeyValue: { key: [1, "string"], value: [2, "AnyValue"] },
  AnyValue: {
    stringValue: [1, "string"],
    boolValue: [2, "bool"],
    intValue: [3, "int64"],
    doubleValue: [4, "double"],
    arrayValue: [5, "ArrayValue"],
    kvlistValue: [6, "KeyValueList"],
    bytesValue: [7, "bytes"],
  },
  ArrayValue: { values: [1, "AnyValue", "repeated"] },
  KeyValueList: { values: [1, "KeyValue", "repeated"] },
};

export type Field = readonly [number: number, type: string, repeated?: "repeated"];
export type Fields = Record<string, unknown>;

/** Decodes protobuf into the object that the JSON of the same message has. */
export function decode(name: string, bytes: Buffer): Fields {
  const fields = new Map(Object.entries(messages[name] ?? {}).map(([key, field]) => [field[0], { key, field }]));
  const result: Fields = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const found = fields.get(tag >> 3);
    if (!found) throw new Error(`${name} has no field ${tag >> 3}`);
    const { key, field } = found;
    const [, type, repeated] = field;
    const add = (value: unknown) => {
      if (repeated) result[key] = [...((result[key] as unknown[] | undefined) ?? []), value];
      else result[key] = value;
    };
    const fixed = (): unknown => {
      at += 8;
      if (type === "double") return bytes.readDoubleLE(at - 8);
      return String(type === "sfixed64" ? bytes.readBigInt64LE(at - 8) : bytes.readBigUInt64LE(at - 8));
    };
    switch (tag & 7) {
      case 0: {
        const value = varint();
        add(type === "bool" ? value === 1n : type === "int64" ? String(BigInt.asIntN(64, value)) : Number(value));
        break;
      }
      case 1:
        add(fixed());
        break;
      case 2: {
        const length = Number(varint());
        const end = at + length;
        if (end > bytes.length) throw new Error(`${name}.${key} is longer than its message`);
        // Repeated numbers are packed.
        if (repeated && (type === "double" || type === "fixed64")) while (at < end) add(fixed());
        else {
          const part = bytes.subarray(at, end);
          if (type === "string") add(part.toString());
          else if (type === "id16" || type === "id8") add(part.toString("hex"));
          else add(decode(type, part));
        }
        at = end;
        break;
      }
      default:
        throw new Error(`${name}.${key} has the wire type ${tag & 7}`);
    }
  }
  return result;
}
