import { expect, it } from 'vitest'
import { createVectorStore, type StoreEntry } from './vector-store.ts'

const entry = (key: number[], value: string): StoreEntry => ({ key, value: Buffer.from(value) })
const values = (entries: readonly StoreEntry[]) => entries.map(({ value }) => Buffer.from(value).toString())

it('adds, replaces, finds by key and forgets', () => {
  const store = createVectorStore()
  store.set([entry([1, 0], 'a'), entry([0, 1], 'b')])
  store.set([entry([1, 0], 'c')])
  expect(
    values(
      store.get([
        [0, 1],
        [1, 0],
        [9, 9],
      ]),
    ),
  ).toEqual(['b', 'c'])
  store.delete([
    [1, 0],
    [5, 5],
  ])
  expect(values(store.get([[1, 0]]))).toEqual([])
})

it('finds the nearest by cosine, best first', () => {
  const store = createVectorStore()
  store.set([entry([1, 0], 'east'), entry([0, 2], 'north'), entry([-3, 0], 'west'), entry([0, 0], 'nowhere')])
  const found = store.find([1, 1e-9], 10)
  expect(values(found)).toEqual(['east', 'north', 'nowhere', 'west'])
  expect(found.map(({ similarity }) => Math.round(similarity * 1e6) / 1e6)).toEqual([1, 0, 0, -1])
  expect(values(store.find([1, 0], 1))).toEqual(['east'])
})

it('keeps vectors of one length, until it is empty', () => {
  const store = createVectorStore()
  store.set([entry([1, 0], 'a')])
  const wrong = expect.objectContaining({ kind: 'invalid_request' })
  expect(() => store.set([entry([1, 0, 0], 'b')])).toThrow(wrong)
  expect(() => store.set([entry([1, 0], 'b'), entry([1], 'c')])).toThrow(wrong)
  expect(() => store.find([1], 1)).toThrow(wrong)
  store.delete([[1, 0]])
  store.set([entry([1, 0, 0], 'b')])
  expect(values(store.get([[1, 0, 0]]))).toEqual(['b'])
})

it('refuses calls without keys, and fewer neighbours than one', () => {
  const store = createVectorStore()
  for (const call of [
    () => store.set([]),
    () => store.get([]),
    () => store.delete([]),
    () => store.find([1], 0),
    () => store.find([], 1),
  ]) {
    expect(call).toThrow(expect.objectContaining({ kind: 'invalid_request' }))
  }
})
