/** An event of a stream of either wire format. */
export type StreamEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly key: string; readonly id?: string; readonly name?: string; readonly text: string }
  | { readonly type: 'result'; readonly name: string; readonly text: string; readonly isFailed: boolean }
  | { readonly type: 'usage'; readonly prompt: number; readonly tokens: number }
  | { readonly type: 'model'; readonly name: string }
  | { readonly type: 'finish'; readonly isCut: boolean }
  | { readonly type: 'failure'; readonly message: string; readonly code?: string }
  | { readonly type: 'response'; readonly id?: string; readonly sequence?: number }
