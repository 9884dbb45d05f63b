import * as z from 'zod'
import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import { ALREADY_SENT } from '../../http/edge.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import type { Route } from '../../http/route.ts'
import type { RouteRow } from '../../http/route-row.ts'
import type { InferenceCodec } from '../../inference/codec.ts'
import { Exchange } from '../../inference/exchange.ts'
import type { Pipeline } from '../../inference/pipeline.ts'
import type { HeldBytes, RequestBody } from '../../inference/ports.ts'

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

/** What the routes of inference share. */
export interface InferenceRouteParts {
  readonly pipeline: Pipeline
  readonly compression: CompressionPolicy
  readonly bodies: Pick<BodyReader, 'read' | 'readWhole'>
}

/** Joins a row, its two ends and the pipeline into a route. */
export function defineInferenceRoute(row: InferenceRow, codec: InferenceCodec, parts: InferenceRouteParts): Route {
  const { pipeline, compression, bodies } = parts
  return {
    ...row,
    async handler(call) {
      const writer = createReplyWriter(call, { compression })
      await pipeline(new Exchange({ call, codec, writer, body: new BodyOfCall(bodies, call) }))
      return ALREADY_SENT
    },
  }
}

/** The body of a call, for the core. */
export class BodyOfCall implements RequestBody {
  readonly #reader: InferenceRouteParts['bodies']
  readonly #call: Call

  constructor(reader: InferenceRouteParts['bodies'], call: Call) {
    this.#reader = reader
    this.#call = call
  }

  whole(): HeldBytes | undefined {
    return this.#reader.readWhole(this.#call)
  }

  read(): Promise<HeldBytes> {
    return this.#reader.read(this.#call)
  }
}
