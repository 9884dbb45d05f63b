import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createProbe } from './probe/probe.ts'
import { createTrimmer, MAX_PROBE_LENGTH } from './trim.ts'

const { signal } = new AbortController()
/** A token for each byte: the most that any text can take. */
const countBytes = async (text: string) => new TextEncoder().encode(text).length
const countWords = async (text: string) => text.split(/\s+/).filter((word) => word !== '').length

it('keeps the newest turns that fit, and tells beforehand what surely fits', async () => {
  const trimmer = createTrimmer({ tokens: { contextSize: 132, countTokens: countBytes } })
  const short = createProbe(['a', 'b'])
  expect(trimmer.isNeeded(short)).toBe(false)
  // a code unit takes three tokens at most, of a hundred that are left
  expect(['a'.repeat(32), 'a'.repeat(33)].map((text) => trimmer.isNeeded(createProbe([text])))).toEqual([false, true])
  expect(await trimmer.trim(short, { signal })).toEqual(short)
  const long = createProbe(['a'.repeat(60), 'b'.repeat(40), 'c'.repeat(50)])
  expect(trimmer.isNeeded(long)).toBe(true)
  expect((await trimmer.trim(long, { signal })).turns).toEqual(['b'.repeat(40), 'c'.repeat(50)])
})

it('counts what stands around the probe and leaves place for the answer', async () => {
  const tokens = { contextSize: 60, countTokens: countWords }
  const render = (text: string) => `one two three ${text}`
  const turns = createProbe(Array.from({ length: 30 }, (_, index) => `w${index}`))
  const trimmer = createTrimmer({ tokens, render, answerTokens: 10 })
  expect((await trimmer.trim(turns, { signal })).turns).toHaveLength(60 - 10 - 32 - 3)
})

it('cuts the middle out of a newest turn that does not fit by itself', async () => {
  const tokens = { contextSize: 100, countTokens: countBytes }
  const newest = `begin ${'😀'.repeat(500)} end`
  const { text, turns } = await createTrimmer({ tokens }).trim(createProbe(['old', newest]), { signal })
  expect(await countBytes(text)).toBeLessThanOrEqual(68)
  expect(turns).toHaveLength(1)
  expect(text.startsWith('begin')).toBe(true)
  expect(text.endsWith('end\n')).toBe(true)
})

it('never cuts a character in two and never sends more than fits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 12 }),
      fc.integer({ min: 40, max: 400 }),
      async (texts, contextSize) => {
        const probe = createProbe(texts)
        const trimmer = createTrimmer({ tokens: { contextSize, countTokens: countBytes } })
        const { text } = await trimmer.trim(probe, { signal })
        expect(/\p{Surrogate}/u.test(text)).toBe(/\p{Surrogate}/u.test(text) && /\p{Surrogate}/u.test(probe.text))
        expect(await countBytes(text)).toBeLessThanOrEqual(Math.max(contextSize - 32, 8))
        if ((await countBytes(probe.text)) <= contextSize - 32) expect(text).toBe(probe.text)
      },
    ),
  )
})

it('cuts by length alone without a tokenizer, and where the tokenizer fails', async () => {
  const probe = createProbe(['old', 'x'.repeat(2 * MAX_PROBE_LENGTH)])
  const plain = createTrimmer({ tokens: undefined })
  expect(plain.isNeeded(probe)).toBe(true)
  expect((await plain.trim(probe, { signal })).text.length).toBeLessThanOrEqual(MAX_PROBE_LENGTH + 1)
  const countTokens = async () => {
    throw new Error('down')
  }
  const failing = createTrimmer({ tokens: { contextSize: 132, countTokens } })
  expect((await failing.trim(probe, { signal })).text.length).toBeLessThanOrEqual(601)
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(failing.trim(probe, { signal: gone })).rejects.toThrow()
})

describe('a cut by length', () => {
  /** Of a context of 33 tokens one is left, which takes at most six code units. */
  const { cutRoughly } = createTrimmer({ tokens: { contextSize: 33, countTokens: countBytes } })

  it.each([
    [['abcde'], 'abcde\n'],
    [['abcdef'], 'abcdef\n'],
    [['abcdefgh'], 'ab\ngh\n'],
    [['a😀bcd😀e'], 'a\ne\n'],
    [['ab😀cdef'], 'ab\nef\n'],
    [['abcde😀f'], 'ab\nf\n'],
    [['old', 'abcde'], 'abcde\n'],
    [['old', 'ab', 'cd'], 'ab\ncd\n'],
    [['older', 'old', 'a'], 'old\na\n'],
    [['a', 'b', 'abcdefg'], 'ab\nfg\n'],
  ])('of %j leaves %j', (turns, text) => {
    expect(cutRoughly(createProbe(turns)).text).toBe(text)
  })
})

it('sends the newest turn as it is after four cuts, whatever its tokenizer says', async () => {
  const asked: string[] = []
  const countTokens = async (text: string) => {
    asked.push(text)
    return text.length > 1 ? 1000 : 0
  }
  const tokens = { contextSize: 132, countTokens }
  const { text } = await createTrimmer({ tokens }).trim(createProbe(['x'.repeat(590)]), { signal })
  expect(text.length).toBeLessThan(10)
  // the whole, the text around it, and the newest turn before each cut
  expect(asked.filter((each) => each.length > 1).length).toBeLessThanOrEqual(5)
})

describe('a newest turn that does not fit by itself', () => {
  const SPREAD = '0123456789'.repeat(30)

  it.each([
    // of the hundred tokens that are left, the text around takes none, forty, or all but one
    [0, 46],
    [40, 27],
    [99, 0],
  ])('with %i tokens around it keeps %i characters of both ends', async (around, kept) => {
    const tokens = { contextSize: 132, countTokens: countBytes }
    const trimmer = createTrimmer({ tokens, render: (text) => `${'#'.repeat(around)}${text}` })
    const { text } = await trimmer.trim(createProbe(['old', SPREAD]), { signal })
    expect(text).toBe(`${SPREAD.slice(0, kept)}\n${SPREAD.slice(SPREAD.length - kept)}\n`)
  })
})
