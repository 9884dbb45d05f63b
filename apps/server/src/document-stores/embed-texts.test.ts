import { createLocalPrincipal } from '@svc/auth'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../db/__fixtures__/places.ts'
import type { RequestLedger } from '../inference/core/ledger.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import { createTextEmbedder } from './embed-texts.ts'

const { signal } = new AbortController()
const caller = {
  principal: createLocalPrincipal('ada'),
  requestId: 'r',
  log: silentLogger,
  useModel: () => undefined,
}

function embed(vectors: readonly Float32Array[], texts: readonly string[]): Promise<readonly Float32Array[]> {
  const core: Pick<RequestCore, 'serve'> = {
    async serve(_, deliver) {
      const body = () => vectors as unknown as object
      await deliver({ kind: 'json', body } as unknown as Parameters<typeof deliver>[0])
      return {} as RequestLedger
    },
  }
  const embedder = createTextEmbedder(core)
  return embedder.embed(texts, { model: 'm', caller, signal })
}

describe('createTextEmbedder', () => {
  it('takes only vectors that an index takes', async () => {
    const good = [Float32Array.of(1, 2), Float32Array.of(0, 0)]
    expect(await embed(good, ['a', 'b'])).toEqual(good)
    const bad: readonly (readonly Float32Array[])[] = [
      [],
      [Float32Array.of(1, 2)],
      [Float32Array.of(1, 2), Float32Array.of(1)],
      [Float32Array.of(), Float32Array.of()],
      [Float32Array.of(1, 2), Float32Array.of(1, Number.NaN)],
      [Float32Array.of(Number.POSITIVE_INFINITY, 2), Float32Array.of(1, 2)],
      [new Float32Array(20_000), new Float32Array(20_000)],
    ]
    for (const vectors of bad) {
      await expect(embed(vectors, ['a', 'b'])).rejects.toMatchObject({ code: 'invalid_embedding' })
    }
  })
})
