import type { Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import type { DocumentStore } from '../../document-stores/document-store.ts'
import type { InnerCaller } from '../../inference/core/inner-context.ts'
import { createCollectionTools } from './collection-tools.ts'
import type { Collections } from './collections.ts'

const caller = { principal: {} as Principal } as InnerCaller
const { signal } = new AbortController()

/** Collections that note what is searched. */
function createWorld(names: readonly string[]) {
  const searches: { readonly ids: readonly string[]; readonly query: string; readonly count: number }[] = []
  const collections = {
    get: async (_: string, name: string) => {
      if (names.includes(name)) return { id: name } as DocumentStore
      throw new SvcError('not_found', `collection not found: ${name}`)
    },
    search: async (stores, { query, count }) => {
      searches.push({ ids: stores.map(({ id }) => id), query, count })
      return [{ filename: 'a.md', score: 0.5, text: 'found' }] as unknown as Awaited<ReturnType<Collections['search']>>
    },
  } satisfies Partial<Collections>
  return { collections: collections as unknown as Collections, searches }
}

describe('the tool that searches collections', () => {
  it('is there only with collections, and searches no others', async () => {
    const { collections, searches } = createWorld(['one', 'two'])
    const options = { collections, owner: 'ada', caller }
    expect(await createCollectionTools({ ...options, names: [] })).toEqual([])
    await expect(createCollectionTools({ ...options, names: ['three'] })).rejects.toMatchObject({ kind: 'not_found' })
    const missed: string[] = []
    const lenient = { ...options, mayMiss: 'three', onMissing: (name: string) => void missed.push(name) }
    expect(await createCollectionTools({ ...lenient, names: ['three'] })).toEqual([])
    const [other] = await createCollectionTools({ ...lenient, names: ['one', 'three'] })
    expect([other?.description, missed]).toEqual([expect.stringMatching(/Collections: one\.$/), ['three', 'three']])
    await expect(createCollectionTools({ ...lenient, names: ['four'] })).rejects.toMatchObject({ kind: 'not_found' })
    const [tool] = await createCollectionTools({ ...options, names: ['one', 'two'] })
    const result = await tool?.call({ query: 'rivers' }, { signal })
    expect(result).toEqual({
      content: [{ type: 'text', text: '[{"entry":"a.md","similarity":0.5,"content":"found"}]' }],
      isError: false,
    })
    await tool?.call({ query: 'bread', collection: 'two', max_results: 1000 }, { signal })
    expect(searches).toEqual([
      { ids: ['one', 'two'], query: 'rivers', count: 5 },
      { ids: ['two'], query: 'bread', count: 20 },
    ])
    for (const args of [{}, { query: ' ' }, { query: 7 }, { query: 'x', collection: 'three' }])
      await expect(tool?.call(args, { signal }), JSON.stringify(args)).rejects.toMatchObject({
        kind: 'invalid_request',
      })
  })
})
