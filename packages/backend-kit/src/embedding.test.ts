import { EmbeddingLayout } from '@svc/backend-client/proto'
import { expect, it } from 'vitest'
import { toEmbeddingResult } from './embedding.ts'

it('tells of one vector for a text', () => {
  const embedded = { vectors: [Float32Array.of(1, 2, 3)], perToken: false, promptTokens: 7 }
  expect(toEmbeddingResult(embedded)).toEqual({
    embeddings: [1, 2, 3],
    tokens: 1,
    dim: 3,
    promptTokens: 7,
    layout: EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
  })
})

it('tells of one for each token, also where there is one token alone', () => {
  const vectors = [Float32Array.of(1, 2), Float32Array.of(3, 4)]
  const layout = EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN
  const all = toEmbeddingResult({ vectors, perToken: true, promptTokens: 2 })
  expect(all).toEqual({ embeddings: [1, 2, 3, 4], tokens: 2, dim: 2, promptTokens: 2, layout })
  expect(toEmbeddingResult({ vectors: vectors.slice(1), perToken: true, promptTokens: 1 })).toMatchObject({ layout })
})
