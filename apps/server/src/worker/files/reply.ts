/** A small reply of the file server. */
export interface FileReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | number>> | undefined
  readonly json?: unknown
  readonly text?: string | undefined
}
