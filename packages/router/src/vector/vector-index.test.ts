import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VectorError } from './errors.ts'
import { createRowStorage, type KernelKind } from './kernel.ts'
import { createSecretHash, hashFloats } from './key-table.ts'
import type { VectorIndex } from './ports.ts'
import { createVectorIndex, MAX_DIMENSION } from './vector-index.ts'

const { signal } = new AbortController()
const KERNELS: readonly KernelKind[] = ['wasm', 'plain']
const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const find = async (index: VectorIndex, query: readonly number[], count: number) =>
  (await index.find(query, { count, signal })).map(({ value, similarity }) => [decode(value), similarity] as const)

/** All entries, compared one by one with 64-bit arithmetic. */
function findByBruteForce(keys: readonly (readonly number[])[], query: readonly number[], count: number) {
  const measure = (vector: readonly number[]) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  const [floats, target] = [keys.map((key) => key.map(Math.fround)), query.map(Math.fround)]
  return floats
    .map((key, place) => {
      const norms = measure(key) * measure(target)
      const product = key.reduce((sum, value, index) => sum + value * (target[index] ?? 0), 0)
      return [`${place}`, norms === 0 ? 0 : product / norms] as const
    })
    .sort(([one, similarity], [other, second]) => second - similarity || Number(one) - Number(other))
    .slice(0, count)
}

describe.each(KERNELS)('an index with the %s kernel', (kernel) => {
  it('gives only entries that are accepted, and the nearest of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 }), {
          selector: String,
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 12 }),
        fc.func(fc.boolean()),
        async (keys, count, choose) => {
          const index = createVectorIndex({ kernel })
          await index.set(
            keys.map((key, place) => ({ key, value: encode(`${place}`) })),
            { signal },
          )
          const accepts = (value: Uint8Array): boolean => choose(decode(value))
          const found = await index.find([1, -2, 3], { count, accepts, signal })
          const expected = findByBruteForce(keys, [1, -2, 3], keys.length).filter(([value]) => choose(value))
          expect(found.map(({ value }) => decode(value))).toEqual(expected.slice(0, count).map(([value]) => value))
        },
      ),
    )
  })

  const create = (options = {}) => createVectorIndex({ kernel, ...options })

  it('computes with that kernel', () => {
    expect(create().kernel).toBe(kernel)
    expect(createRowStorage(3, kernel).kind).toBe(kernel)
  })

  it('keeps one value a key, gives it back and takes it away', async () => {
    const index = create()
    await index.set(
      [
        { key: [1, 0], value: encode('a') },
        { key: [0, 1], value: encode('b') },
        { key: [1, 0], value: encode('c') },
      ],
      { signal },
    )
    expect([index.size, index.dimension]).toEqual([2, 2])
    const got = await index.get(
      [
        [0, 1],
        [5, 5],
        [1, 0],
      ],
      { signal },
    )
    expect(got.map(({ key, value }) => [Array.from(key), decode(value)])).toEqual([
      [[0, 1], 'b'],
      [[1, 0], 'c'],
    ])
    expect(
      await index.delete(
        [
          [1, 0],
          [7, 7],
        ],
        { signal },
      ),
    ).toBe(1)
    expect(await find(index, [1, 0], 5)).toEqual([['b', 0]])
  })

  it('has keys of one length until it is empty', async () => {
    const index = create()
    await index.set([{ key: [1, 2], value: encode('a') }], { signal })
    const wrong = { code: 'vector_dimension', kind: 'invalid_request' }
    await expect(index.set([{ key: [1, 2, 3], value: encode('b') }], { signal })).rejects.toMatchObject(wrong)
    await expect(index.find([1], { count: 1, signal })).rejects.toMatchObject(wrong)
    await expect(index.get([[1]], { signal })).rejects.toMatchObject(wrong)
    await index.delete([[1, 2]], { signal })
    expect(index.dimension).toBeUndefined()
    await index.set([{ key: [1, 2, 3], value: encode('b') }], { signal })
    expect(index.dimension).toBe(3)
    index.clear()
    expect(index.size).toBe(0)
  })

  it('finds the nearest by cosine, the earlier of equals first; zeros are like nothing', async () => {
    const index = create()
    const keys = [
      [2, 2],
      [1, 1],
      [0, 0],
      [-1, -1],
    ]
    await index.set(
      keys.map((key, place) => ({ key, value: encode(`${place}`) })),
      { signal },
    )
    const names = (found: readonly (readonly [string, number])[]) => found.map(([name]) => name)
    const found = await find(index, [3, 3], 4)
    expect(names(found)).toEqual(['0', '1', '2', '3'])
    expect(found[0]?.[1]).toBeCloseTo(1, 12)
    expect(found[2]?.[1]).toBe(0)
    expect(await find(index, [0, 0], 2)).toEqual([
      ['0', 0],
      ['1', 0],
    ])
    expect(await find(create(), [1, 2], 3)).toEqual([])
  })

  it('agrees with a comparison of all entries, after any changes', async () => {
    const component = fc.oneof(
      fc.float({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 1, 1e-30, 1e30, -1e30),
      fc.integer({ min: -3, max: 3 }),
    )
    const vectors = fc.integer({ min: 1, max: 40 }).chain((length) =>
      fc.record({
        keys: fc.array(fc.array(component, { minLength: length, maxLength: length }), { minLength: 1, maxLength: 30 }),
        query: fc.array(component, { minLength: length, maxLength: length }),
        removed: fc.array(fc.nat(), { maxLength: 10 }),
        count: fc.integer({ min: 1, max: 35 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(vectors, async ({ keys, query, removed, count }) => {
        const index = create()
        const unique = [...new Map(keys.map((key) => [key.map((value) => value + 0).join(), key])).values()]
        await index.set(
          unique.map((key, place) => ({ key, value: encode(`${place}`) })),
          { signal },
        )
        const gone = new Set(removed.map((place) => place % unique.length))
        await index.delete(
          [...gone].map((place) => unique[place] ?? []),
          { signal },
        )
        const found = await find(index, query, count)
        const expected = findByBruteForce(unique, query, unique.length).filter(([name]) => !gone.has(Number(name)))
        expect(found).toHaveLength(Math.min(count, expected.length))
        for (const [place, [name, similarity]] of found.entries()) {
          const own = expected.find(([other]) => other === name)?.[1] ?? Number.NaN
          expect(Math.abs(similarity - own)).toBeLessThan(1e-12)
          expect(Math.abs(similarity - (expected[place]?.[1] ?? Number.NaN))).toBeLessThan(1e-12)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('refuses keys, values and counts that cannot be, and changes nothing then', async () => {
    const index = create()
    const invalid = { code: 'vector_invalid', name: 'VectorError' }
    for (const key of [
      [],
      [Number.NaN],
      [Number.POSITIVE_INFINITY],
      [1e39],
      Array.from({ length: MAX_DIMENSION + 1 }, () => 1),
    ]) {
      await expect(index.set([{ key, value: encode('a') }], { signal })).rejects.toMatchObject(invalid)
    }
    const entries = [
      { key: [1], value: encode('a') },
      { key: [2], value: JSON.parse('"text"') },
    ]
    await expect(index.set(entries, { signal })).rejects.toMatchObject(invalid)
    for (const count of [0, -1, 1.5, Number.NaN]) {
      await expect(index.find([1], { count, signal })).rejects.toMatchObject(invalid)
    }
    expect(index.size).toBe(0)
  })

  it('is bounded by entries and by bytes; a key that is there does not count again', async () => {
    const full = { code: 'vector_limit', kind: 'insufficient_storage' }
    const few = create({ maxEntries: 2 })
    const two = [
      { key: [1], value: encode('a') },
      { key: [2], value: encode('b') },
    ]
    await few.set(two, { signal })
    await few.set([{ key: [2], value: encode('c') }], { signal })
    await expect(few.set([{ key: [3], value: encode('d') }], { signal })).rejects.toMatchObject(full)
    expect(await find(few, [2], 2)).toEqual([
      ['a', 1],
      ['c', 1],
    ])
    const small = create({ maxBytes: 10 })
    await small.set([{ key: [1], value: encode('a') }], { signal })
    await expect(small.set([{ key: [2], value: encode('b') }], { signal })).resolves.toBeUndefined()
    await expect(small.set([{ key: [3], value: encode('c') }], { signal })).rejects.toMatchObject(full)
    await small.delete([[1]], { signal })
    await small.set([{ key: [3], value: encode('c') }], { signal })
    expect(small.size).toBe(2)
  })

  it('ends with the signal', async () => {
    const index = create()
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(index.set([], { signal: gone })).rejects.toThrow('gone')
    await expect(index.get([], { signal: gone })).rejects.toThrow('gone')
    await expect(index.delete([], { signal: gone })).rejects.toThrow('gone')
    await expect(index.find([1], { count: 1, signal: gone })).rejects.toThrow('gone')
  })
})

it('finds the same with and without WebAssembly, to the last bit', async () => {
  const dimension = 384
  const vectors = Array.from({ length: 5_000 }, (_, row) =>
    Float32Array.from(
      { length: dimension },
      (_unused, column) => Math.sin(row * 12.9898 + column * 78.233) * (1 + (row % 7)),
    ),
  )
  const indexes = KERNELS.map((kernel) => createVectorIndex({ kernel }))
  const entries = vectors.map((key, row) => ({ key, value: encode(`${row}`) }))
  for (const index of indexes) await index.set(entries, { signal })
  for (let round = 0; round < 20; round++) {
    const query = Float32Array.from({ length: dimension }, (_, column) => Math.cos(round * 3.7 + column * 1.3))
    const [first, second] = await Promise.all(indexes.map((index) => index.find(query, { count: 25, signal })))
    expect(first).toEqual(second)
    expect(first).toHaveLength(25)
  }
})

it('copies what it is given and what it gives', async () => {
  const index = createVectorIndex()
  const [key, value] = [Float32Array.of(1, 2), encode('a')]
  await index.set([{ key, value }], { signal })
  key[0] = 9
  value[0] = 0
  const [entry] = await index.find([1, 2], { count: 1, signal })
  expect([Array.from(entry?.key ?? []), decode(entry?.value ?? encode(''))]).toEqual([[1, 2], 'a'])
  entry?.value.fill(0)
  expect(await find(index, [1, 2], 1)).toEqual([['a', 1]])
})

it('gives no more bytes than asked for, and copies none before it knows', async () => {
  const index = createVectorIndex()
  await index.set([{ key: [1, 2], value: new Uint8Array(1000) }], { signal })
  expect(await index.get([[1, 2]], { signal, maxBytes: 1008 })).toHaveLength(1)
  expect(await index.find([1, 2], { count: 5, signal, maxBytes: 1008 })).toHaveLength(1)
  const keys = Array.from({ length: 1_000_000 }, () => [1, 2])
  await expect(index.get(keys, { signal, maxBytes: 1_000_000 })).rejects.toMatchObject({ code: 'vector_limit' })
  await expect(index.find([1, 2], { count: 5, signal, maxBytes: 1007 })).rejects.toMatchObject({ code: 'vector_limit' })
})

it('is an error that says whose fault it is', () => {
  expect(new VectorError('vector_limit', 'full').kind).toBe('insufficient_storage')
  expect(() => createVectorIndex({ maxEntries: 0 })).toThrow('createVectorIndex: maxEntries')
})

describe('the entries of an index', () => {
  const toTexts = (index: { entries(): Iterable<{ key: ArrayLike<number>; value: Uint8Array }> }) =>
    [...index.entries()].map(({ key, value }) => `${Array.from(key)} ${decode(value)}`)

  it('come in the order in which they were added, without removed ones', async () => {
    const index = createVectorIndex()
    expect([toTexts(index), index.bytes]).toEqual([[], 0])
    await index.set(
      [1, 2, 3, 4].map((number) => ({ key: [number, 0], value: encode(`v${number}`) })),
      { signal },
    )
    await index.delete([[2, 0]], { signal })
    await index.set(
      [
        { key: [5, 0], value: encode('v5') },
        { key: [1, 0], value: encode('new') },
      ],
      { signal },
    )
    expect(toTexts(index)).toEqual(['1,0 new', '3,0 v3', '4,0 v4', '5,0 v5'])
    expect(index.bytes).toBe(4 * 8 + 'newv3v4v5'.length)
  })
})

it('keeps and gives copies of values, also of a Buffer', async () => {
  const index = createVectorIndex()
  const value = Buffer.from('kept')
  await index.set([{ key: [1], value }], { signal })
  value.fill(0)
  const [got] = await index.get([[1]], { signal })
  got?.value.fill(0)
  const [again] = await index.get([[1]], { signal })
  expect(decode(again?.value ?? new Uint8Array())).toBe('kept')
})

describe('the hash of keys', () => {
  /** Keys that share every hash of the kind `(hash ^ word) * odd` with a mix of shifts, for any start and factor. */
  function createColliding(pairs: number): Float32Array[] {
    const [sign, next] = [0x8000_0000, 0x8001_0000]
    return Array.from({ length: 2 ** pairs }, (_, choice) => {
      const words = new Uint32Array(2 * pairs).fill(0x3f80_0000)
      for (let pair = 0; pair < pairs; pair++) {
        if (((choice >>> pair) & 1) === 0) continue
        words[2 * pair] = (0x3f80_0000 ^ sign) >>> 0
        words[2 * pair + 1] = (0x3f80_0000 ^ next) >>> 0
      }
      return new Float32Array(words.buffer)
    })
  }

  it('spreads keys that were made to meet', () => {
    const keys = createColliding(12)
    expect(new Set(keys.map(hashFloats)).size).toBe(1)
    const hash = createSecretHash(24)
    expect(new Set(keys.map(hash)).size).toBeGreaterThan(keys.length * 0.99)
  })

  it('gives equal keys one hash, and an index finds each key', async () => {
    const keys = createColliding(8)
    const hash = createSecretHash(16)
    for (const key of keys) expect(hash(key.slice())).toBe(hash(key))
    const index = createVectorIndex()
    await index.set(
      keys.map((key, place) => ({ key, value: encode(`${place}`) })),
      { signal },
    )
    const got = await index.get(keys, { signal })
    expect(got.map(({ value }) => decode(value))).toEqual(keys.map((_, place) => `${place}`))
  })

  it('has secrets for the longest keys', () => {
    const hash = createSecretHash(MAX_DIMENSION)
    const [one, other] = [new Float32Array(MAX_DIMENSION), new Float32Array(MAX_DIMENSION)]
    other[MAX_DIMENSION - 1] = 1
    expect(hash(one)).not.toBe(hash(other))
  })
})
