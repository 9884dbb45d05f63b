/** A call of a tool of a server. */
export interface ServerCall {
  readonly id: string
  readonly server: string
  /** The name on its server. */
  readonly tool: string
  /** The name for the model. */
  readonly name: string
  /** JSON text. */
  readonly text: string
}

/** An event of a stream of either wire format. */
export type StreamEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly key: string; readonly id?: string; readonly name?: string; readonly text: string }
  /** A call of a tool that the server runs. `isAsked`: it waits for the consent of the reader. */
  | ({ readonly type: 'server-call'; readonly isAsked: boolean } & ServerCall)
  | {
      readonly type: 'result'
      /** The id of its call, where the server tells it. */
      readonly id?: string
      readonly name: string
      readonly text: string
      readonly isFailed: boolean
    }
  /** A server of tools that gives none, with the reason. */
  | { readonly type: 'server-fault'; readonly message: string }
  | { readonly type: 'usage'; readonly prompt: number; readonly tokens: number }
  | { readonly type: 'model'; readonly name: string }
  | { readonly type: 'finish'; readonly isCut: boolean }
  | { readonly type: 'failure'; readonly message: string; readonly code?: string }
  | { readonly type: 'response'; readonly id?: string; readonly sequence?: number }
