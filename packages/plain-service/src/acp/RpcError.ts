/** An error of JSON-RPC 2.0. */
export class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }

  static invalidRequest(message: string): RpcError {
    return new RpcError(-32600, message)
  }

  static invalidParams(message: string): RpcError {
    return new RpcError(-32602, message)
  }

  get wire(): { readonly code: number; readonly message: string } {
    return { code: this.code, message: this.message }
  }
}
