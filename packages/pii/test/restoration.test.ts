import {
  createLaneRestorer,
  createSseRestorer,
  createTokenMap,
  type ReplyFormat,
  restoreJsonBody,
} from '@svc/pii/reversible'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { generateStream, generateText, type Stream, type Vocabulary } from './generated-streams.ts'
import { createRandom, pick, type Random, writeTree } from './json-text.ts'
import { readEvents, readLanes } from './read-stream.ts'

const isLong = process.env.SVC_LONG === '1'
/** Random cuts of each format; `SVC_LONG=1` makes 100,000 of all together. */
const ROUNDS = isLong ? 25_000 : 150
/** Streams of each format that are cut at every byte. */
const CUT_STREAMS = isLong ? 40 : 1

/** Every byte of a stream is a cut, which takes long on a busy machine. */
const TIMEOUT_MS = isLong ? 3_600_000 : 120_000

const FORMATS: readonly ReplyFormat[] = ['chat-completions', 'completions', 'messages', 'responses']

/** Tokens with the usual ends, or with others that JSON and HTML escape; one value looks like a token. */
function createVocabulary(random: Random) {
  const [prefix, suffix] = pick(random, [
    ['[REDACTED:', ']'],
    ['[REDACTED:', ']'],
    ['<PII:', '>'],
    ['"', '"'],
    ['#', ''],
  ])
  const map = createTokenMap({ prefix, suffix, texts: [] })
  const values = new Map<string, string>()
  for (const value of ['a@b.example', 'Jo "J" \\ Doe\n', '😀', `${prefix}EMAIL_002${suffix}`]) {
    values.set(map.mask({ group: 'EMAIL' }, value), value)
  }
  // Invented values, one the beginning of another.
  for (const [value, fake] of [
    ['Ada "A" Byron\n', 'Alwin Marlow'],
    ['Bo', 'Alwin'],
    ['1.2.3.4', '198.51.100.234'],
  ] as const) {
    values.set(map.mask({ group: 'PER', writeFake: () => fake }, value), value)
  }
  for (let number = 5; number <= 101; number++) map.mask({ group: 'EMAIL' }, `filler ${number}`)
  return { map, vocabulary: { values } }
}

/** A text with the values of the vocabulary, found from left to right. */
function restoreSlowly(text: string, map: ReturnType<typeof createVocabulary>['map']): string {
  const lane = createLaneRestorer(map)
  return lane.push(text) + lane.end()
}

/** The same by replacing, for tokens without common prefixes. */
function restoreByReplacing(text: string, { values }: Vocabulary): string {
  const pattern = [...values.keys()].map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text.replace(new RegExp(pattern, 'g'), (token) => values.get(token) ?? token)
}

function restoreInPieces(format: ReplyFormat, map: ReturnType<typeof createVocabulary>['map'], pieces: Uint8Array[]) {
  const restorer = createSseRestorer(format, map)
  const out = pieces.flatMap((piece) => restorer.push(piece))
  return Buffer.concat([...out, ...restorer.end()])
}

/** The lanes that a client should see; JSON lanes as values. */
function expectLanes(
  format: ReplyFormat,
  { lanes }: Stream,
  out: Uint8Array,
  map: ReturnType<typeof createVocabulary>['map'],
) {
  const seen = readLanes(format, out)
  for (const { name, isJson, text } of lanes) {
    const got = seen.get(name) ?? ''
    if (isJson) expect(JSON.parse(got)).toEqual(mapTexts(JSON.parse(text), (leaf) => restoreSlowly(leaf, map)))
    else expect(got).toBe(restoreSlowly(text, map))
  }
}

/** The same value with other texts, keys included. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]))
}

vi.setConfig({ testTimeout: TIMEOUT_MS })

describe('one lane', () => {
  it('gives the same for every cut, and keeps no more than the beginning of a token', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = createRandom(seed)
        const { map, vocabulary } = createVocabulary(random)
        const [token = ''] = vocabulary.values.keys()
        fc.pre(!token.startsWith('"') && !token.startsWith('#'))
        const text = generateText(vocabulary, random)
        const whole = restoreByReplacing(text, vocabulary)
        const all = [
          ...vocabulary.values.keys(),
          ...[5, 50, 101].map((n) => token.replace('001', String(n).padStart(3, '0'))),
        ]
        const lane = createLaneRestorer(map)
        let out = ''
        for (let at = 0; at < text.length; ) {
          const next = at + 1 + random(6)
          out += lane.push(text.slice(at, next))
          at = next
          const read = text.slice(0, at)
          let kept = 0
          for (let length = 1; length < token.length; length++) {
            if (all.some((other) => other.startsWith(read.slice(-length)) && other.length > length)) kept = length
          }
          expect(out).toBe(restoreByReplacing(read.slice(0, read.length - Math.min(kept, read.length)), vocabulary))
        }
        expect(out + lane.end()).toBe(whole)
      }),
      { numRuns: ROUNDS },
    )
  })
})

describe.each(FORMATS)('a stream of %s', (format) => {
  it(`is the same at every single cut: ${CUT_STREAMS} streams`, () => {
    for (let seed = 0; seed < CUT_STREAMS; seed++) {
      const random = createRandom(seed)
      const { map, vocabulary } = createVocabulary(random)
      const stream = generateStream(format, vocabulary, random, { most: 1 })
      const whole = restoreInPieces(format, map, [stream.bytes])
      expectLanes(format, stream, whole, map)
      for (let cut = 1; cut < stream.bytes.length; cut++) {
        const out = restoreInPieces(format, map, [stream.bytes.subarray(0, cut), stream.bytes.subarray(cut)])
        if (!out.equals(whole)) expect({ cut, out: String(out) }).toEqual({ cut, out: String(whole) })
      }
    }
  })

  it(`is the same at random cuts of its bytes and of its texts: ${ROUNDS} streams`, () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = createRandom(seed)
        const { map, vocabulary } = createVocabulary(random)
        const stream = generateStream(format, vocabulary, random)
        const pieces: Uint8Array[] = []
        for (let at = 0; at < stream.bytes.length; ) {
          const next = at + 1 + random(pick(random, [3, 50, 1000]))
          pieces.push(stream.bytes.slice(at, next))
          at = next
        }
        expectLanes(format, stream, restoreInPieces(format, map, pieces), map)
      }),
      { numRuns: ROUNDS },
    )
  })

  it('comes back byte for byte without tokens of the request', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = createRandom(seed)
        const { vocabulary } = createVocabulary(random)
        const other = createTokenMap({ prefix: '\u00abOTHER:', texts: [] })
        other.mask({ group: 'X' }, 'value')
        const { bytes } = generateStream(format, vocabulary, random, { wholeEscapes: true })
        expect(restoreInPieces(format, other, [bytes]).equals(bytes)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

it('final texts of a stream of responses are restored, and its events are numbered without a gap', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = createRandom(seed)
      const { map, vocabulary } = createVocabulary(random)
      const { bytes, lanes } = generateStream('responses', vocabulary, random)
      const events = readEvents(restoreInPieces('responses', map, [bytes])) as {
        sequence_number: number
        response?: { output: { text?: string; arguments?: string }[] }
      }[]
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
      const output = events.at(-1)?.response?.output
      for (const [index, { isJson, text }] of lanes.entries()) {
        const expected = isJson
          ? mapTexts(JSON.parse(text), (leaf) => restoreSlowly(leaf, map))
          : restoreSlowly(text, map)
        expect(isJson ? JSON.parse(output?.[index]?.arguments ?? '') : output?.[index]?.text).toEqual(expected)
      }
    }),
    { numRuns: ROUNDS },
  )
})

it('a whole JSON reply is restored in every text, in any escaped form', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = createRandom(seed)
      const { map, vocabulary } = createVocabulary(random)
      const string = { kind: 'string', text: generateText(vocabulary, random) } as const
      const source = writeTree(
        { kind: 'object', members: [['content', { kind: 'array', items: [string, string] }]] },
        random,
      )
      const restored: unknown = JSON.parse(
        new TextDecoder().decode(restoreJsonBody(map, new TextEncoder().encode(source))),
      )
      expect(restored).toEqual(mapTexts(JSON.parse(source), (text) => restoreSlowly(text, map)))
    }),
    { numRuns: ROUNDS },
  )
})
