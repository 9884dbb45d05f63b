import type { GgufHeader } from '@svc/gguf'
import { describe, expect, it } from 'vitest'
import { findModelAbilities } from './abilities.ts'

type Settings = Parameters<typeof findModelAbilities>[1]

const PLAIN: Settings = {
  embeddings: false,
  pooling: undefined,
  ranking: false,
  rankByCosine: false,
  scoring: false,
}

function abilities(
  keys: Record<string, string | number | boolean>,
  settings: Partial<Settings> = {},
  supportsRanking = false,
): ReturnType<typeof findModelAbilities> {
  const all = new Map(Object.entries({ 'general.architecture': 'llama', ...keys }))
  const header: GgufHeader = { version: 3, keys: all, arrayLengths: new Map(), tensorCount: 0, dataOffset: 0 }
  const insights = { fileInsights: { supportsRanking } } as Parameters<typeof findModelAbilities>[2]
  return findModelAbilities(header, { ...PLAIN, ...settings }, insights)
}

describe('the abilities of a model', () => {
  it('is to generate, and to embed, rank and score where it was loaded for that', () => {
    expect(abilities({})).toEqual({ canGenerate: true, canEmbed: false, ranking: 'none', canScore: false })
    expect(abilities({}, { embeddings: true, scoring: true })).toMatchObject({ canEmbed: true, canScore: true })
    expect(abilities({}, { rankByCosine: true })).toMatchObject({ canEmbed: true, ranking: 'cosine' })
  })

  it('is to embed alone for models that read a text at once', () => {
    const keys = { 'general.architecture': 'bert' }
    expect(abilities(keys, { scoring: true })).toMatchObject({ canGenerate: false, canEmbed: true, canScore: false })
    expect(abilities({ 'llama.attention.causal': false })).toMatchObject({ canGenerate: false, canEmbed: true })
  })

  it('is to rank by a head only where there is one and it is wanted', () => {
    const keys = { 'llama.pooling_type': 4 }
    expect(abilities(keys, { embeddings: true }, true)).toMatchObject({ ranking: 'head', canEmbed: false })
    expect(abilities(keys, {}, false)).toMatchObject({ ranking: 'none', canEmbed: false })
    expect(abilities({}, {}, true)).toMatchObject({ ranking: 'none' })
    expect(abilities({}, { ranking: true }, true)).toMatchObject({ ranking: 'head' })
    expect(abilities({}, { pooling: 'rank' }, true)).toMatchObject({ ranking: 'head', canEmbed: false })
    expect(abilities(keys, { pooling: 'mean', embeddings: true }, true)).toMatchObject({ canEmbed: true })
  })
})
