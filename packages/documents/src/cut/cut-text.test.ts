import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_LIMITS, cutText, type TextChunk } from './cut-text.ts'
import { estimateTokens } from './estimate-tokens.ts'

const { signal } = new AbortController()

async function cut(text: string, options: Omit<Parameters<typeof cutText>[1], 'signal'> = {}): Promise<TextChunk[]> {
  const chunks: TextChunk[] = []
  for await (const chunk of cutText(text, { ...options, signal })) chunks.push(chunk)
  return chunks
}

const words = fc.constantFrom(
  ...[
    'river',
    'a',
    'an extraordinarily',
    'Grüße',
    '東京',
    '中文。',
    '👩‍👩‍👧',
    '🇩🇪',
    'e\u0301',
    'x'.repeat(90),
    '.',
    '! ',
  ],
  ...['\n', '\n\n', '\r\n', '\n# Title\n', ' ', '\t', 'ไทย', 'क्षि', '\u200d', '\u0301'],
)
const texts = fc.array(words, { maxLength: 600 }).map((parts) => parts.join(''))
const sizes = fc
  .integer({ min: CHUNK_LIMITS.least, max: 300 })
  .chain((maxTokens) =>
    fc.record({ maxTokens: fc.constant(maxTokens), overlapTokens: fc.nat(Math.floor(maxTokens / 2)) }),
  )

/** Tokens of one code unit, so that chunks are small. */
const countUnits = (text: string): number => text.length

describe('cutText', () => {
  it('covers any text within its sizes', async () => {
    await fc.assert(
      fc.asyncProperty(texts, sizes, fc.boolean(), async (text, size, isPlain) => {
        const countTokens = isPlain ? countUnits : estimateTokens
        const chunks = await cut(text, { ...size, countTokens })
        let end = 0
        for (const chunk of chunks) {
          expect(chunk.text).toBe(text.slice(chunk.start, chunk.end))
          expect(chunk.tokens).toBe(countTokens(chunk.text))
          expect(chunk.tokens).toBeLessThanOrEqual(size.maxTokens)
          expect(chunk.start).toBeLessThanOrEqual(end)
          expect(chunk.end).toBeGreaterThan(end)
          expect(countTokens(text.slice(chunk.start, end))).toBeLessThanOrEqual(size.overlapTokens)
          end = chunk.end
        }
        expect(end).toBe(text.length)
      }),
    )
  })

  it('splits no grapheme', async () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (text, size) => {
        const edges = new Set([text.length])
        let longest = 0
        for (const { index, segment } of segmenter.segment(text)) {
          edges.add(index)
          longest = Math.max(longest, segment.length)
        }
        fc.pre(longest < 40)
        for (const { start, end } of await cut(text, { ...size, countTokens: countUnits })) {
          expect([edges.has(start), edges.has(end)]).toEqual([true, true])
        }
      }),
    )
  })

  it('splits a grapheme that is larger than a chunk between its characters', async () => {
    for (const text of [`a${'\u0301'.repeat(1000)}`, '👩‍'.repeat(500), '😀'.repeat(999)]) {
      const chunks = await cut(text, { maxTokens: 101, overlapTokens: 7, countTokens: countUnits })
      expect(chunks.every((chunk) => !/\p{Surrogate}/u.test(chunk.text))).toBe(true)
      expect(chunks.at(-1)?.end).toBe(text.length)
    }
  })

  it('prefers headings, then paragraphs, sentences and words', async () => {
    const line = 'Some words of a sentence. '
    const at = async (text: string) => (await cut(text, { maxTokens: 100, overlapTokens: 0 })).map(({ text }) => text)
    const heading = `${line.repeat(10)}\n\n${line.repeat(2)}\n# Second\n\n${line.repeat(12)}`
    expect((await at(heading))[1]).toMatch(/^# Second/)
    const paragraph = `${line.repeat(10)}\n\n${line.repeat(12)}`
    expect((await at(paragraph))[0]).toMatch(/\. \n\n$/)
    expect((await at(line.repeat(30)))[0]).toMatch(/\. $/)
    expect((await at('word '.repeat(200)))[0]).toMatch(/word $/)
    expect((await at('x'.repeat(900)))[0]).toBe('x'.repeat(400))
  })

  it('begins an overlap with a sentence', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `Sentence number ${index}.`).join(' ')
    const [, second] = await cut(text, { maxTokens: 120, overlapTokens: 40 })
    expect(second?.text).toMatch(/^Sentence number \d+\./)
  })

  it('needs no good counter to come to an end', async () => {
    for (const countTokens of [() => 0, () => 1e9, (text: string) => (text.length % 7) * 60]) {
      const chunks = await cut('some text '.repeat(30), { countTokens })
      expect(chunks.at(-1)?.end).toBe(300)
    }
  })

  it('gives nothing for an empty text, and refuses sizes out of range', async () => {
    expect(await cut('')).toEqual([])
    for (const size of [
      { maxTokens: 99 },
      { maxTokens: 4097 },
      { maxTokens: 200, overlapTokens: 101 },
      { maxTokens: 100.5 },
    ])
      await expect(cut('a', size)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('ends with its signal, and lets other work run', async () => {
    const text = 'A sentence of words, which is not short. '.repeat(100_000)
    const ending = new AbortController()
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
      if (turns === 3) ending.abort(new Error('enough'))
    }, 1)
    try {
      const work = (async () => {
        for await (const _ of cutText(text, { signal: ending.signal }));
      })()
      await expect(work).rejects.toThrow('enough')
    } finally {
      clearInterval(timer)
    }
  })
})
