import { applySplices, parseJson } from '@svc/json'
import { collectSegments, type DocumentFormat, type SegmentCollection, type TextSegment } from '@svc/pii/documents'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { CANARY, CANARY_NUMBER, generateBody } from './generated-bodies.ts'
import { allTexts, createRandom, joinedParts, writeTree } from './json-text.ts'

/** Bodies of each format; `SVC_LONG=1` makes 100,000 of all formats together. */
const ROUNDS = process.env.SVC_LONG === '1' ? 11_112 : 250
vi.setConfig({ testTimeout: process.env.SVC_LONG === '1' ? 3_600_000 : 120_000 })

const FORMATS: readonly DocumentFormat[] = [
  'json',
  'log-line',
  'chat-completions',
  'completions',
  'embeddings',
  'edits',
  'messages',
  'responses',
  'ollama-chat',
  'ollama-generate',
  'ollama-embed',
]

/** Every segment with its canaries masked, also canaries that are split over parts of a message. */
function maskCanaries({ segments, messages }: SegmentCollection): Map<TextSegment, string> {
  const texts = segments.map(({ text }) => text.replaceAll(CANARY, '[X]').replaceAll(CANARY_NUMBER, '[X]'))
  for (const run of messages) {
    for (;;) {
      const pieces = texts.slice(run.start, run.end)
      const found = pieces.join('').indexOf(CANARY)
      if (found === -1) break
      let start = 0
      for (const [index, piece] of pieces.entries()) {
        const from = Math.min(Math.max(found - start, 0), piece.length)
        const to = Math.min(Math.max(found + CANARY.length - start, 0), piece.length)
        texts[run.start + index] = piece.slice(0, from) + (from < to ? '[X]' : '') + piece.slice(to)
        start += piece.length
      }
    }
  }
  return new Map(
    segments.flatMap((segment, index) => {
      const text = texts[index]
      return text === undefined || text === segment.text ? [] : [[segment, text] as const]
    }),
  )
}

function holdsCanary(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(CANARY) || text.includes(CANARY_NUMBER))
}

describe.each(FORMATS)('canaries in bodies of %s', (format) => {
  it(`are all found and masked, and nothing else changes: ${ROUNDS} bodies`, () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = createRandom(seed)
        const source = writeTree(generateBody(format, random), random)
        const bytes = new TextEncoder().encode(source)
        const collection = collectSegments(parseJson(bytes), format)
        expect(collection.refusal).toBeUndefined()
        const masked = maskCanaries(collection)
        const rewritten = collection.toSplices(masked)
        if (rewritten.kind !== 'splices') throw new Error(`collision at ${rewritten.segment.path}`)
        const result = new TextDecoder().decode(applySplices(bytes, rewritten.splices))

        expect(holdsCanary(allTexts(result))).toBe(false)
        expect(holdsCanary(joinedParts(JSON.parse(result)))).toBe(false)
        expect(unescapeAll(result)).not.toContain(CANARY)

        // Every edit belongs to a token that held a canary, or a piece of one.
        const pieces = new Set([...masked.keys()].map(({ text }) => text))
        for (const { start, end } of rewritten.splices) {
          const token = allTexts(new TextDecoder().decode(bytes.subarray(start, end)))
          expect(token.some((text) => pieces.has(text) || holdsCanary([text]))).toBe(true)
        }
        if (masked.size === 0) expect(result).toBe(source)
      }),
      { numRuns: ROUNDS },
    )
  })
})

it('the generated bodies hold canaries in most of their forms', () => {
  const paths = new Set<string>()
  for (let seed = 0; seed < 200; seed++) {
    const random = createRandom(seed)
    const body = new TextEncoder().encode(writeTree(generateBody('chat-completions', random), random))
    for (const { path } of maskCanaries(collectSegments(parseJson(body), 'chat-completions')).keys()) {
      paths.add(path.replace(/\d+/g, 'n'))
    }
  }
  expect(paths.size).toBeGreaterThan(100)
  expect([...paths].some((path) => path.includes('$') && path.endsWith('#key'))).toBe(true)
  expect([...paths].some((path) => path.split('$').length > 2)).toBe(true)
})

/** A text with all `\u` escapes resolved, at any nesting. */
function unescapeAll(text: string): string {
  let before = ''
  let after = text
  while (after !== before) {
    before = after
    after = before.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
  return after
}
