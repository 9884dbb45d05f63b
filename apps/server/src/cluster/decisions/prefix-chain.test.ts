import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import xxhash from 'xxhash-wasm'
import { createChainReader, matchShare } from './prefix-chain.ts'

const { h64Raw } = await xxhash()
const readChain = createChainReader(h64Raw)

describe('prefix chains', () => {
  it('equal those of another implementation of xxHash', () => {
    // Made with the Python binding of the C library.
    expect(readChain('m', 'hello world')).toEqual([11_689_768_884_684_698_581n].map(Number))
    expect(readChain('modelX', 'Grüße, 世界! '.repeat(60))).toEqual(
      [
        6_363_955_878_662_838_354n,
        8_009_613_194_147_345_709n,
        10_826_245_721_683_887_444n,
        6_207_849_937_121_579_681n,
      ].map(Number),
    )
    const long = readChain('llama', 'x'.repeat(12_288))
    expect([long.length, long[0], long.at(-1)]).toEqual([
      48,
      Number(8_460_447_657_992_927_926n),
      Number(13_801_706_294_348_128_543n),
    ])
  })

  it('survive JSON numbers that are written in full', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (hash) => {
        const [read] = JSON.parse(`[${hash}]`)
        expect(read).toBe(Number(hash))
        expect(JSON.parse(JSON.stringify(read))).toBe(read)
      }),
    )
  })

  it('share exactly the windows before the first difference', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 3000 })
    fc.assert(
      fc.property(text, text, text, (head, a, b) => {
        const [left, right] = [head + a, head + b].map((prompt) => new TextEncoder().encode(prompt))
        const chains = [readChain('m', head + a), readChain('m', head + b)] as const
        const differsAt = left?.findIndex((byte, index) => byte !== right?.[index]) ?? -1
        const equalBytes = differsAt < 0 ? (left?.length ?? 0) : differsAt
        const isEqual = left?.length === right?.length && equalBytes === left?.length
        const windows = isEqual ? chains[0].length : Math.floor(equalBytes / 256)
        expect(chains[0].slice(0, windows)).toEqual(chains[1].slice(0, windows))
        expect(chains[0][windows] === undefined || chains[0][windows] !== chains[1][windows]).toBe(true)
      }),
    )
  })

  it('are bounded, and keep the start of a conversation that grows', () => {
    const words = Array.from({ length: 400_000 }, (_, index) => `${index} `).join('')
    const short = readChain('m', words.slice(0, 40_000))
    const long = readChain('m', words.slice(0, 80_000))
    expect(short.slice(0, -1)).toEqual(long.slice(0, short.length - 1))
    expect(readChain('m', words)).toHaveLength(64)
    expect(readChain('m', `${words}end`)).toEqual(readChain('m', words))
    expect(readChain('m', '')).toEqual([])
    expect(readChain('n', 'a')).not.toEqual(readChain('m', 'a'))
  })

  it('weigh windows by their bytes', () => {
    expect([matchShare(1, 4), matchShare(48, 48), matchShare(0, 9), matchShare(0, 0)]).toEqual([0.25, 1, 0, 0])
    expect(matchShare(48, 64)).toBeLessThan(0.03)
  })
})
