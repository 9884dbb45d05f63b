/** A request of a tool to the API of the server. */
export interface ApiRequest {
  /** Method and pattern of the route: `GET /api/settings`. */
  readonly route: string
  /** Values of the path by name, not encoded. */
  readonly params?: Readonly<Record<string, string>> | undefined
  /** Values of the query; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A JSON body. */
  readonly body?: unknown
  /** A body that is a text of this type, in place of JSON. */
  readonly text?: { readonly type: string; readonly value: string } | undefined
}

/** The reply of the API. */
export interface ApiReply {
  readonly status: number
  /** Undefined where the reply is not JSON, or is too long. */
  readonly json: unknown
  readonly text: string
  /** Whether the reply was longer than is kept. */
  readonly isCut: boolean
}

/** The API of the server, for one caller. */
export interface CallerApi {
  /** Whether the server has a route and the caller may use it. */
  allows(route: string): boolean
  /** Whether the caller is an administrator. */
  readonly isAdmin: boolean
  /**
   * Performs a request in the name of a tool. The route decides again whether the caller may.
   *
   * @throws {SvcError} only where the server stops; a refusal is a reply
   */
  request(request: ApiRequest, options: { readonly tool: string; readonly signal: AbortSignal }): Promise<ApiReply>
}
