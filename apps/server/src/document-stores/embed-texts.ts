import { SvcError } from '@svc/errors'
import { MAX_DIMENSION } from '@svc/router/vector'
import { toInnerBody } from '../inference/core/inner-body.ts'
import { createInnerContext, type InnerCaller } from '../inference/core/inner-context.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import { toOperationCall, type WireFormat } from '../inference/replies/wire-format.ts'

/** Turns texts into vectors. */
export interface TextEmbedder {
  /**
   * Gives one vector for each text, all of one length. A text that is longer than the context of the model loses its end.
   *
   * @throws {SvcError} every refusal of an inference request
   */
  embed(
    texts: readonly string[],
    options: { readonly model: string; readonly caller: InnerCaller; readonly signal: AbortSignal },
  ): Promise<readonly Float32Array[]>
}

/** The route in records, and the scan of its texts. */
const ROUTE = {
  method: 'POST',
  path: '/v1/vector_stores/:vector_store_id/search',
  usecase: 'embeddings',
  family: 'compatible',
  modelRequired: true,
  scanned: 'embeddings',
} as const

const LONE_SURROGATE = /\p{Surrogate}/gu

const FORMAT: WireFormat = {
  async read({ root }) {
    const inputs = Array.from(root.get('input')?.items() ?? [], (item) => item.text())
    return toOperationCall<'embed'>({ kind: 'embed', inputs, truncates: true }, ({ vectors }) => vectors)
  },
}

/** Creates an embedder on the request core. */
export function createTextEmbedder(core: Pick<RequestCore, 'serve'>): TextEmbedder {
  return {
    async embed(texts, { model, caller, signal }) {
      const input = texts.map((text) => text.replaceAll(LONE_SURROGATE, '\ufffd'))
      const body = toInnerBody(Buffer.from(JSON.stringify({ model, input })))
      const context = createInnerContext(caller, { route: ROUTE, signal })
      let vectors: readonly Float32Array[] | undefined
      await core.serve({ context, format: FORMAT, source: { body } }, async (reply) => {
        if (reply.kind === 'json') vectors = reply.body(NO_FACTS) as readonly Float32Array[]
      })
      return checkVectors(vectors ?? [], texts.length)
    },
  }
}

const NO_FACTS = { model: '', requestId: '', baseUrl: '/', created: 0, extraUsage: false }

function checkVectors(vectors: readonly Float32Array[], count: number): readonly Float32Array[] {
  const length = vectors[0]?.length ?? 0
  const isUsable = (vector: Float32Array): boolean => vector.length === length && vector.every(Number.isFinite)
  if (length > 0 && length <= MAX_DIMENSION && vectors.length === count && vectors.every(isUsable)) return vectors
  throw new SvcError('internal', 'the model gave no usable vectors', { code: 'invalid_embedding' })
}
