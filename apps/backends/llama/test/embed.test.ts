import type { ModelOptions } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import type { ModelRecipe } from './models.ts'

const PER_TOKEN = 2
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function load(recipe: ModelRecipe, Options: string[], more: Partial<ModelOptions> = {}): Promise<void> {
  await backend.load(recipe, { Embeddings: true, NBatch: 64, Options: ['embd_normalize:-1', ...Options], ...more })
}

async function embed(Embeddings: string): Promise<{ rows: number[][]; layout: number; promptTokens: number }> {
  const { embeddings, dim, tokens, layout, promptTokens } = await backend.client.embedding({ Embeddings })
  const rows = Array.from({ length: tokens }, (_, row) => embeddings.slice(row * dim, (row + 1) * dim))
  return { rows, layout, promptTokens }
}

function expectClose(a: readonly number[] | undefined, b: readonly number[] | undefined): void {
  expect(a).toHaveLength(b?.length ?? -1)
  for (const [index, value] of (a ?? []).entries()) expect(value).toBeCloseTo(b?.[index] ?? Number.NaN, 3)
}

const mean = (rows: number[][]): number[] =>
  (rows[0] ?? []).map((_, column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) / rows.length)

describe('a model that reads from left to right', () => {
  it('gives a vector for every token where they are not pooled, and pools them as it is told', async () => {
    await load({}, ['pooling:none'])
    const { rows, layout, promptTokens } = await embed('hello world paris')
    expect([layout, promptTokens, rows.length]).toEqual([PER_TOKEN, 4, 4])
    expect(new Set(rows.map((row) => row.join())).size).toBe(4)
    expectClose((await embed('hello world')).rows.at(-1), rows[2])
    await load({}, ['pooling:mean'])
    const pooled = await embed('hello world paris')
    expect([pooled.layout, pooled.rows.length]).toEqual([1, 1])
    expectClose(pooled.rows[0], mean(rows))
    await load({}, ['pooling:last'])
    expectClose((await embed('hello world paris')).rows[0], rows.at(-1))
    await load({}, ['pooling:cls'])
    expectClose((await embed('hello world paris')).rows[0], rows[0])
  })
})

describe('a model that reads a text at once', () => {
  const keys = { 'llama-embed.attention.causal': { type: 'bool', value: false } } as const
  const recipe = { architecture: 'llama-embed', keys } as const

  it('pools as requested, and each vector depends on the whole text', async () => {
    const texts = ['hello world paris', 'hello world london']
    for (const pooling of ['mean', 'last', 'cls']) {
      await load(recipe, [`pooling:${pooling}`])
      const [paris, london] = [await embed(texts[0] ?? ''), await embed(texts[1] ?? '')]
      expect(paris).toMatchObject({ layout: 1, promptTokens: 4 })
      expect(paris.rows[0]).not.toEqual(london.rows[0])
    }
  })

  it('is refused where it is to give a vector for every token', async () => {
    await expect(load(recipe, ['pooling:none'])).rejects.toThrow(
      /pooling none is for models that read from left to right/,
    )
  })
})

describe('a text that is longer than the context', () => {
  const long = 'hello world paris '.repeat(40).trim()

  it.each<[string, ModelRecipe]>([
    ['of a decoder', {}],
    [
      'of an encoder',
      { architecture: 'llama-embed', keys: { 'llama-embed.attention.causal': { type: 'bool', value: false } } },
    ],
  ])('%s is refused, or loses its end when the host says so', async (_, recipe) => {
    await load(recipe, ['pooling:mean'], { ContextSize: 32 })
    await expect(embed(long)).rejects.toThrow(/embeds up to \d+/)
    const [, limit] = /embeds up to (\d+)/.exec(String(await embed(long).catch(String))) ?? []
    const cut = await backend.client.embedding({ Embeddings: long, Metadata: { truncate: 'true' } })
    expect(cut.promptTokens).toBe(Number(limit))
    const { tokens } = await backend.client.tokenizeString({ Prompt: long })
    const EmbeddingTokens = tokens.slice(0, cut.promptTokens - 1)
    expectClose(cut.embeddings, (await backend.client.embedding({ EmbeddingTokens })).embeddings)
    const fits = { Embeddings: 'hello world', Metadata: { truncate: 'true' } }
    expectClose((await backend.client.embedding(fits)).embeddings, (await embed('hello world')).rows[0])
    const byTokens = { EmbeddingTokens: tokens, Metadata: { truncate: 'true' } }
    expectClose((await backend.client.embedding(byTokens)).embeddings, cut.embeddings)
  })
})

describe('pooling', () => {
  it('is that of the file unless told otherwise', async () => {
    await load({ poolingType: 1 }, [])
    const own = await embed('good day')
    await load({}, ['pooling:mean'])
    expectClose((await embed('good day')).rows[0], own.rows[0])
  })

  it('scales every vector by itself', async () => {
    await load({}, ['pooling:none', 'embd_normalize:2'])
    for (const row of (await embed('hello world')).rows) expect(Math.hypot(...row)).toBeCloseTo(1, 4)
  })

  it('is refused in unknown ways', async () => {
    await expect(load({}, ['pooling:sum'])).rejects.toThrow(/pooling must be one of/)
  })
})
