import { ReadableStream as NodeStream } from "node:stream/web";

/** Makes the stream of a model. Projects with the types of a browser know the same class under other types. */
export const streamOf = <T>(parts: AsyncIterable<T>): ReadableStream<T> =>
  NodeStream.from(parts) as unknown as ReadableStream<T>;
