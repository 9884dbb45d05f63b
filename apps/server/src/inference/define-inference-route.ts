import * as z from 'zod'
import type { CompressionPolicy } from '../http/compression.ts'
import { ALREADY_SENT } from '../http/edge.ts'
import { createReplyWriter } from '../http/reply-writer.ts'
import type { Route } from '../http/route.ts'
import type { RouteRow } from '../http/route-row.ts'
import type { InferenceCodec } from './codec.ts'
import { Exchange } from './exchange.ts'
import type { Pipeline } from './pipeline.ts'

/** A row of the table whose requests go through the inference pipeline. */
export interface InferenceRow extends RouteRow {
  /** Which models can serve it; required here. */
  readonly usecase: string
  readonly scanned: NonNullable<RouteRow['scanned']>
}

/** Query of routes whose model may be named there; a name in the body goes before it. */
export const modelQuery = z.object({
  model: z.string().optional().describe('The model, where the body names none.'),
})

/** Joins a row, its two ends and the pipeline into a route. */
export function defineInferenceRoute(
  row: InferenceRow,
  codec: InferenceCodec,
  parts: { readonly pipeline: Pipeline; readonly compression: CompressionPolicy },
): Route {
  return {
    ...row,
    async handler(call) {
      const writer = createReplyWriter(call, { compression: parts.compression })
      await parts.pipeline(new Exchange({ call, codec, writer }))
      return ALREADY_SENT
    },
  }
}
