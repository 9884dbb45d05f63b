/** A whole reply of a handler. It is not a `Response` of the Fetch standard, which Node loads late and makes slowly. */
export class HttpReply {
  readonly status: number
  /** Headers by lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array

  constructor(
    body: string | Uint8Array | null,
    options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    this.status = options.status ?? 200
    const { headers = {} } = options
    const isBareText = typeof body === 'string' && headers['content-type'] === undefined
    this.headers = isBareText ? { 'content-type': 'text/plain;charset=UTF-8', ...headers } : headers
    this.body = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  }
}

/** Says that the handler has written its reply itself. */
export const ALREADY_SENT = new HttpReply(null)
