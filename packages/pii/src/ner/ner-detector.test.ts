import { createDeferred, createFakeClock } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterSegments } from '../filter.ts'
import { convertOffsets } from '../offsets.ts'
import type { TokenClassifier, TokenEntity } from '../ports.ts'
import type { NerSettings } from '../settings.ts'
import { createNerDetector, type NerDetectorOptions } from './ner-detector.ts'

/** Recognises matches of a pattern, as a model does: in bytes of the given text. */
function recognise(pattern: RegExp, group = 'NAME', score = 0.9): TokenClassifier {
  return {
    async classify(text) {
      return [...text.matchAll(pattern)].map((match): TokenEntity => {
        const units = [match.index, match.index + match[0].length]
        const [start = 0, end = 0] = convertOffsets(text, units, { from: 'utf16', to: 'utf8' })
        return { start, end, group, score }
      })
    },
  }
}

/** The redacted text, or the reason of the refusal. */
async function redact(text: string, settings: NerSettings, options: Partial<NerDetectorOptions> = {}): Promise<string> {
  const classifier = options.classifier ?? recognise(/Ada|Huber/g)
  const detector = createNerDetector({ name: 'names', settings, classifier, ...options })
  const { segments } = await filterSegments({ segments: [{ text }] }, { detectors: [detector] })
  return segments[0]?.rewritten ?? text
}

/** The reported failure of a detector. */
async function failure(entities: readonly TokenEntity[], text = 'é left'): Promise<unknown> {
  const classifier: TokenClassifier = { classify: async () => entities }
  return redact(text, { minScore: 0.5 }, { classifier }).catch((error) => error.details.failures)
}

const entity: TokenEntity = { start: 0, end: 2, group: 'NAME', score: 0.9 }

describe('the output of the model', () => {
  it('is read in bytes, for any characters', async () => {
    expect(await redact('é🚲東 Ada 👩‍👩‍👧\r\n', {})).toBe('é🚲東 [REDACTED:ner:NAME] 👩‍👩‍👧\r\n')
  })

  it('is dropped below the threshold, which the model receives too', async () => {
    const told: number[] = []
    const classifier: TokenClassifier = {
      classify: async (_, { minScore }) => {
        told.push(minScore)
        return [entity, { ...entity, start: 3, end: 7, score: 0.49 }]
      },
    }
    expect(await redact('é left', { minScore: 0.5 }, { classifier })).toBe('[REDACTED:ner:NAME] left')
    expect(told).toEqual([expect.closeTo(0.5, 5)])
  })

  it.each([0.1, 0.6, 0.9, 0.99, 1])(
    'with just the threshold %d counts, also once it was a number of 32 bits',
    async (minScore) => {
      for (const score of [minScore, Math.fround(minScore)]) {
        // Other classifiers compare with the given threshold, in 32 bits or in 64.
        const classifier: TokenClassifier = {
          classify: async (_, { minScore: told }) =>
            score >= Math.max(told, Math.fround(told)) ? [{ ...entity, score }] : [],
        }
        expect(await redact('é left', { minScore }, { classifier })).toBe('[REDACTED:ner:NAME] left')
      }
    },
  )

  it.each<[string, Partial<TokenEntity>]>([
    ['an edge inside a character', { start: 1 }],
    ['an end after the text', { end: 8 }],
    ['a start before the text', { start: -1 }],
    ['nothing in it', { end: 0 }],
    ['no whole number', { end: 1.5 }],
    ['no group', { group: '' }],
    ['no score', { score: Number.NaN }],
    ['a score above 1', { score: 1.01 }],
    ['a score below 0', { score: -0.01 }],
    ['a place that cannot be and a score below the threshold', { end: 99, score: 0.1 }],
  ])('is not believed in any part when one entity has %s', async (_, wrong) => {
    expect(await failure([entity])).toBe('[REDACTED:ner:NAME] left')
    expect(await failure([entity, { ...entity, ...wrong }])).toEqual([{ detector: 'names', reason: 'bad_span' }])
  })

  it.each([-0.1, 1.5, Number.NaN, '1'])('is not measured against the threshold %o', (wrong) => {
    const settings = { minScore: wrong as number }
    expect(() => createNerDetector({ name: 'x', settings, classifier: recognise(/x/g) })).toThrow(
      expect.objectContaining({ code: 'pii_config' }),
    )
  })

  it('is judged by a policy that must be one', () => {
    const settings = { defaultAction: 'hide' as 'mask' }
    expect(() => createNerDetector({ name: 'x', settings, classifier: recognise(/x/g) })).toThrow(
      expect.objectContaining({ code: 'pii_config' }),
    )
  })
})

it("for any characters, the masked text is the text of the model's entity", async () => {
  const parts = fc.array(
    fc.constantFrom('a', 'é', '東', '🚲', '👩‍👩‍👧', 'e\u0301', '\r\n', '\ud83d', '\udeb2', '\0', '\ufeff'),
    { minLength: 1, maxLength: 12 },
  )
  const encoder = new TextEncoder()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  await fc.assert(
    fc.asyncProperty(parts, fc.nat(40), fc.nat(40), async (list, one, other) => {
      let seen = ''
      const classifier: TokenClassifier = {
        async classify(text) {
          const characters = [...text]
          const from = Math.min(one, other) % characters.length
          const to = Math.min(characters.length, from + 1 + Math.abs(one - other))
          const countBytes = (count: number) => encoder.encode(characters.slice(0, count).join('')).length
          const [start, end] = [countBytes(from), countBytes(to)]
          seen = decoder.decode(encoder.encode(text).subarray(start, end))
          return [{ start, end, group: 'NAME', score: 1 }]
        },
      }
      const values: string[] = []
      const masks = { mask: (_: object, value: string) => `#${values.push(value)}` }
      const detectors = [createNerDetector({ name: 'names', settings: {}, classifier })]
      await filterSegments({ segments: [{ text: list.join('') }] }, { detectors, masks })
      expect(values).toEqual([seen])
    }),
  )
})

describe('words beside a detection', () => {
  it('are covered for the groups named', async () => {
    const settings = { extendToNextWord: ['NAME'], extendToPreviousWord: ['NAME'] }
    expect(await redact('Dr Ada Byron King', settings)).toBe('[REDACTED:ner:NAME] King')
    expect(await redact('Dr Ada Byron King', { extendToNextWord: ['CITY'] })).toBe('Dr [REDACTED:ner:NAME] Byron King')
  })

  it('give the union their name, however much longer the other detection is', async () => {
    const both: TokenClassifier = {
      async classify(text, options) {
        const long = await recognise(/Byron King of Love/g, 'LAST').classify(text, options)
        return [...long, ...(await recognise(/Ada/g, 'FIRST').classify(text, options))]
      },
    }
    const text = 'Ada Byron King of Love, Lord Byron King of Love Ada'
    const next = { extendToNextWord: ['FIRST'], extendToPreviousWord: ['FIRST'] }
    expect(await redact(text, next, { classifier: both })).toBe('[REDACTED:ner:FIRST], Lord [REDACTED:ner:FIRST]')
    expect(await redact(text, { ...next, entityActions: { LAST: 'allow' } }, { classifier: both })).toBe(
      '[REDACTED:ner:FIRST], Lord [REDACTED:ner:FIRST]',
    )
  })

  it('are not taken from another segment', async () => {
    const detector = createNerDetector({
      name: 'names',
      settings: { extendToNextWord: ['NAME'], extendToPreviousWord: ['NAME'] },
      classifier: recognise(/Ada/g),
    })
    const texts = { segments: ['Dear', 'Ada', 'Byron'].map((text) => ({ text })) }
    const { segments } = await filterSegments(texts, { detectors: [detector] })
    expect(segments.map(({ rewritten }) => rewritten)).toEqual([undefined, '[REDACTED:ner:NAME]', undefined])
  })
})

describe('protected terms', () => {
  it('are hidden from the model and come back as they were', async () => {
    const seen: string[] = []
    const classifier: TokenClassifier = {
      classify(text, options) {
        seen.push(text)
        return recognise(/\[PROTECTED\] Huber/g).classify(text, options)
      },
    }
    expect(await redact('at HOTEL Seerose Huber', { protectedTerms: ['Hotel Seerose'] }, { classifier })).toBe(
      'at HOTEL Seerose[REDACTED:ner:NAME]',
    )
    expect(seen).toEqual(['at [PROTECTED] Huber'])
  })

  it('do not reach over segments', async () => {
    const detector = createNerDetector({
      name: 'names',
      settings: { protectedTerms: ['Hotel Ada'] },
      classifier: recognise(/Ada/g),
    })
    const texts = { segments: [{ text: 'Hotel' }, { text: 'Ada' }] }
    const { segments } = await filterSegments(texts, { detectors: [detector] })
    expect(segments[1]?.rewritten).toBe('[REDACTED:ner:NAME]')
  })

  it('come from files too, also when these change', async () => {
    let text = 'Ada'
    const termFiles = { read: async () => ({ text, stamp: text }) }
    const settings = { protectedTermsFiles: ['terms.txt'] }
    const detector = createNerDetector({ name: 'names', settings, classifier: recognise(/Ada|Huber/g), termFiles })
    const run = async () => {
      const { segments } = await filterSegments({ segments: [{ text: 'Ada Huber' }] }, { detectors: [detector] })
      return segments[0]?.rewritten
    }
    expect(await run()).toBe('Ada [REDACTED:ner:NAME]')
    text = 'Huber'
    expect(await run()).toBe('[REDACTED:ner:NAME] Huber')
  })
})

describe('a long text', () => {
  const settings: NerSettings = { extendToNextWord: ['NAME'], protectedTerms: ['Hotel Ada'] }
  const words = fc.constantFrom('Ada', 'Hotel Ada', 'Byron', 'Huber', '🚲', 'é', '\n\n', ', ', 'x')

  it('of any cut gives the same as in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 40 }), fc.integer({ min: 1, max: 120 }), async (parts, size) => {
        const text = parts.join(' ')
        const whole = await redact(text, settings)
        expect(await redact(text, settings, { chunking: { size, overlap: 6 } })).toBe(whole)
      }),
    )
  })

  it.each([
    ['as large as the model says', async () => 300, 292],
    ['for a common model where it does not know', async () => undefined, 504],
    ['for a common model where it cannot say', undefined, 504],
  ])('is cut into pieces %s', async (_, contextSize, size) => {
    const pieces: string[] = []
    const { classify } = recognise(/Ada/g)
    const classifier: TokenClassifier = {
      ...(contextSize && { contextSize }),
      classify(text, options) {
        pieces.push(text)
        return classify(text, options)
      },
    }
    const text = 'word '.repeat(1000)
    expect(await redact(`${text}Ada`, {}, { classifier })).toBe(`${text}[REDACTED:ner:NAME]`)
    const longest = Math.max(...pieces.map(({ length }) => length))
    expect(longest).toBeLessThanOrEqual(size)
    expect(longest).toBeGreaterThan(size * 0.6)
  })

  it('fails where the model cannot be asked for its size', async () => {
    const contextSize = () => Promise.reject(new Error('connection lost'))
    const classifier: TokenClassifier = { ...recognise(/Ada/g), contextSize }
    await expect(redact('Ada', {}, { classifier })).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
  })

  it('is with the model in a few pieces at once', async () => {
    let running = 0
    let most = 0
    const gate = createDeferred<void>()
    const classifier: TokenClassifier = {
      async classify() {
        running++
        most = Math.max(most, running)
        if (running === 3) gate.resolve()
        await gate.promise
        running--
        return []
      },
    }
    await redact('word '.repeat(100), {}, { classifier, chunking: { size: 20, overlap: 4 }, concurrency: 3 })
    expect(most).toBe(3)
  })

  it('is refused when the model dies between pieces', async () => {
    let calls = 0
    const classifier: TokenClassifier = {
      async classify() {
        calls++
        if (calls > 2) throw new Error('connection lost')
        return []
      },
    }
    const call = redact('word '.repeat(100), {}, { classifier, chunking: { size: 20, overlap: 4 }, concurrency: 1 })
    await expect(call).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
    expect(calls).toBe(3)
  })

  it('is given to the model no further once the caller has gone', async () => {
    const caller = new AbortController()
    let calls = 0
    const classifier: TokenClassifier = {
      async classify() {
        calls++
        caller.abort(new DOMException('gone', 'AbortError'))
        return []
      },
    }
    const detector = createNerDetector({
      name: 'x',
      settings: {},
      classifier,
      chunking: { size: 20, overlap: 4 },
      concurrency: 1,
    })
    const text = 'word '.repeat(100)
    const document = { text, segments: [{ start: 0, end: text.length }], messages: [] }
    await expect(detector.detect(document, { signal: caller.signal })).rejects.toThrow('gone')
    expect(calls).toBe(1)
  })
})

describe('a text of megabytes', () => {
  it('is read to its end, however long that takes, while each chunk keeps within the limit', async () => {
    const clock = createFakeClock()
    const found = recognise(/Ada/g)
    let chunks = 0
    const slow: TokenClassifier = {
      async classify(text, options) {
        chunks++
        await clock.sleep(4000, options)
        return found.classify(text, options)
      },
    }
    const text = `${'one plain word after another '.repeat(72_000)}Ada`
    expect(text.length).toBeGreaterThan(2_000_000)
    const detector = createNerDetector({ name: 'names', settings: {}, classifier: slow })
    const call = filterSegments({ segments: [{ text }] }, { detectors: [detector], clock })
    let ended = false
    const end = call.finally(() => {
      ended = true
    })
    while (!ended) await clock.advance(2000)
    expect((await end).segments[0]?.rewritten?.endsWith('another [REDACTED:ner:NAME]')).toBe(true)
    expect(chunks).toBeGreaterThan(500)
  })

  it('fails when one chunk does not end', async () => {
    const clock = createFakeClock()
    const stuck: TokenClassifier = {
      async classify(text, { signal }) {
        if (text.includes('Ada')) await clock.sleep(1_000_000, { signal })
        return []
      },
    }
    const detector = createNerDetector({ name: 'names', settings: {}, classifier: stuck })
    const text = `${'one plain word after another '.repeat(2000)}Ada`
    const call = filterSegments({ segments: [{ text }] }, { detectors: [detector], clock }).catch((error) => error)
    await clock.waitForSleepers(2)
    await clock.advance(10_000)
    await clock.waitForSleepers(2)
    await clock.advance(10_000)
    expect(await call).toMatchObject({ details: { failures: [{ detector: 'names', reason: 'timeout' }] } })
  })
})
