import type { GraphRun, GraphShape, NumberBlock } from '@svc/pii/encoder'

export type { GraphRun, GraphShape, GraphValue, NumberBlock } from '@svc/pii/encoder'

/** Options of loading a graph. */
export interface GraphSource {
  readonly file: string
  /** Threads of one run. */
  readonly threads: number
}

/** Requests to the process of a graph: first the load, then one run after the other. */
export type GraphRequest =
  | { readonly kind: 'load'; readonly source: GraphSource }
  | { readonly kind: 'run'; readonly run: GraphRun }

/** Replies of the process. */
export type GraphReply =
  | { readonly kind: 'loaded'; readonly shape: GraphShape; readonly memoryBytes: number }
  | { readonly kind: 'done'; readonly output: NumberBlock; readonly memoryBytes: number }
  | { readonly kind: 'failed'; readonly message: string }
