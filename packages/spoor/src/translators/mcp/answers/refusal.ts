/** Why a call cannot be done. The agent gets the message, which says what to do instead. */
export class McpRefusal extends Error {
  override readonly name = "McpRefusal";
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
