import { getEventListeners } from 'node:events'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hit, toDetector, wordDetector } from './__fixtures__/detectors.ts'
import { combineDetectors } from './combine-detectors.ts'
import type { Detector, JudgedDetection } from './detector.ts'
import { PiiError } from './errors.ts'
import { filterSegments } from './filter.ts'
import { createUnavailableDetector } from './unavailable-detector.ts'

const texts = (...list: string[]) => ({ segments: list.map((text) => ({ text })) })

/** The refusal of a filter call. */
async function refusal(detectors: readonly Detector[], text = 'Ada left.'): Promise<PiiError> {
  const error = await filterSegments(texts(text), { detectors }).catch((thrown: unknown) => thrown)
  if (!(error instanceof PiiError)) throw new Error('the request was not refused')
  return error
}

describe('the outcome of a request', () => {
  it('masks, and leaves segments without a mask alone', async () => {
    const outcome = await filterSegments(texts('I am ada.', 'Hello', 'ada, bo'), {
      detectors: [wordDetector('ada'), wordDetector('bo', { action: 'allow' })],
    })
    expect(outcome).toMatchObject({ blocked: false, masked: true })
    expect(outcome.segments.map(({ rewritten }) => rewritten)).toEqual([
      'I am [REDACTED:ner:ADA].',
      undefined,
      '[REDACTED:ner:ADA], bo',
    ])
    expect(outcome.segments[2]?.spans.map(({ group, action }) => [group, action])).toEqual([
      ['ADA', 'mask'],
      ['BO', 'allow'],
    ])
  })

  it('a block anywhere leaves no rewritten text at all', async () => {
    const outcome = await filterSegments(texts('ada \ud83d', 'pin 1234'), {
      detectors: [wordDetector('ada'), wordDetector('1234', { action: 'block' })],
    })
    expect(outcome).toMatchObject({ blocked: true, masked: false })
    expect(outcome.segments.map(({ rewritten }) => rewritten)).toEqual([undefined, undefined])
    expect(outcome.segments.map(({ spans }) => spans.map(({ start, end }) => [start, end]))).toEqual([
      [[0, 3]],
      [[4, 8]],
    ])
  })

  it('sees the messages as one document and gives offsets of the segment', async () => {
    const seen: string[] = []
    const detector = toDetector(({ text }) => {
      seen.push(text)
      return [hit(text.indexOf('7093'), text.indexOf('7093') + 4, { group: 'PIN' })]
    })
    const { segments } = await filterSegments(texts('Which code?', 'it reads 7093 ok'), { detectors: [detector] })
    expect(seen).toEqual(['Which code?\n\nit reads 7093 ok'])
    expect(segments[1]).toMatchObject({ spans: [{ start: 9, end: 13 }], rewritten: 'it reads [REDACTED:ner:PIN] ok' })
  })

  it('without a detector nothing is scanned or changed', async () => {
    const outcome = await filterSegments(texts('a\ud83d'), { detectors: [] })
    expect(outcome).toEqual({ blocked: false, masked: false, segments: [{ scanned: 'a\ud83d', spans: [] }] })
  })

  it('no detector is asked about no text', async () => {
    const detectors = [createUnavailableDetector('gone')]
    expect(await filterSegments(texts('', ''), { detectors })).toMatchObject({ blocked: false, segments: [{}, {}] })
    expect(await filterSegments(texts(), { detectors })).toEqual({ blocked: false, masked: false, segments: [] })
  })

  it('a lone half of a surrogate pair goes on as it was scanned', async () => {
    const { masked, segments } = await filterSegments(texts('a\ud83d ada'), { detectors: [wordDetector('bo')] })
    expect(masked).toBe(false)
    expect(segments[0]?.rewritten).toBe('a\ufffd ada')
  })

  it('masks are written in the order of the request', async () => {
    let count = 0
    const masks = { mask: ({ group }: { group: string }, value: string) => `<${group}:${value}:${++count}>` }
    const { segments } = await filterSegments(texts('ada ada', 'ada'), { detectors: [wordDetector('ada')], masks })
    expect(segments.map(({ rewritten }) => rewritten)).toEqual(['<ADA:ada:1> <ADA:ada:2>', '<ADA:ada:3>'])
  })

  it('two tiers of one detector are united', async () => {
    const both = combineDetectors('both', [wordDetector('ada'), wordDetector('tok', { source: 'pattern', score: 1 })])
    const { segments } = await filterSegments(texts('ada tok'), { detectors: [both] })
    expect(segments[0]?.rewritten).toBe('[REDACTED:ner:ADA] [REDACTED:pattern:TOK]')
  })
})

describe('a detector that fails', () => {
  it('refuses the request once the others have run', async () => {
    const ran: string[] = []
    const last = toDetector(() => {
      ran.push('last')
      return []
    })
    const failing = toDetector(() => {
      throw new Error('cannot read "Ada left."')
    }, 'failing')
    const error = await refusal([createUnavailableDetector('gone'), failing, last])
    expect(error).toMatchObject({
      kind: 'unavailable',
      code: 'pii_ner_unavailable',
      message: 'request blocked: PII NER check is configured but unavailable',
      retryAfterMs: 1000,
      details: {
        type: 'pii_ner_unavailable',
        failures: [
          { detector: 'gone', reason: 'failed', code: 'pii_ner_unavailable' },
          { detector: 'failing', reason: 'failed' },
        ],
      },
    })
    expect(ran).toEqual(['last'])
  })

  it('keeps its message out of the refusal', async () => {
    const leak = new SvcError('internal', 'bad text: Ada left.', { code: 'decode', details: { text: 'Ada left.' } })
    const error = await refusal([toDetector(() => Promise.reject(leak) as never)])
    expect(JSON.stringify({ ...error, stack: error.stack, cause: error.cause })).not.toContain('Ada')
    expect(error.details?.failures).toEqual([{ detector: 'names', reason: 'failed', code: 'decode' }])
  })

  it.each<[string, Partial<JudgedDetection>]>([
    ['ends after the text', { start: 0, end: 10 }],
    ['starts after its end', { start: 3, end: 1 }],
    ['is empty', { start: 2, end: 2 }],
    ['starts before the text', { start: -1, end: 2 }],
    ['is not a whole number', { start: 0.5, end: 2 }],
    ['is not a number', { start: Number.NaN, end: 2 }],
    ['has no group', { group: '' }],
    ['has no score', { score: Number.NaN }],
    ['has a score below 0', { score: -0.1 }],
    ['has a score above 1', { score: 1.1 }],
    ['has no source', { source: 'guess' as 'ner' }],
    ['has no action', { action: 'hide' as 'mask' }],
  ])('is one with a span that %s, beside good ones', async (_, wrong) => {
    const detector = toDetector(() => [hit(0, 3), { ...hit(0, 3), ...wrong }])
    expect((await refusal([detector])).details?.failures).toEqual([{ detector: 'names', reason: 'bad_span' }])
  })

  it.each([
    [0, 2],
    [2, 3],
  ])('is one with a span from %i to %i, inside a character', async (start, end) => {
    expect((await refusal([toDetector(() => [hit(start, end)])], 'a🚲b')).code).toBe('pii_ner_unavailable')
    const { segments } = await filterSegments(texts('a🚲b'), { detectors: [toDetector(() => [hit(1, 3)])] })
    expect(segments[0]?.rewritten).toBe('a[REDACTED:ner:NAME]b')
  })

  it('is one that takes longer than its limit, and it is told to stop', async () => {
    const clock = createFakeClock()
    let stopped: AbortSignal | undefined
    const slow: Detector = {
      name: 'slow',
      detect(_document, { signal }) {
        stopped = signal
        return new Promise(() => {})
      },
    }
    const call = filterSegments(texts('Ada'), { detectors: [slow], clock }).catch((error: unknown) => error)
    await clock.waitForSleepers(1)
    await clock.advance(9_999)
    expect(stopped?.aborted).toBe(false)
    await clock.advance(1)
    expect(await call).toMatchObject({ details: { failures: [{ detector: 'slow', reason: 'timeout' }] } })
    expect(stopped?.aborted).toBe(true)
  })

  it('may take longer when it tells its steps, until a whole period passes without one', async () => {
    const clock = createFakeClock()
    let step = () => {}
    const stepping: Detector = {
      name: 'stepping',
      detect(_document, options) {
        step = () => options.onStep?.()
        return new Promise(() => {})
      },
    }
    const deaf: Detector = { name: 'deaf', detect: async () => [] }
    const call = filterSegments(texts('Ada'), { detectors: [stepping, deaf], clock }).catch((error: unknown) => error)
    for (let period = 0; period < 5; period++) {
      await clock.waitForSleepers(1)
      step()
      await clock.advance(10_000)
    }
    await clock.waitForSleepers(1)
    await clock.advance(10_000)
    expect(await call).toMatchObject({ details: { failures: [{ detector: 'stepping', reason: 'timeout' }] } })
    expect(clock.sleepers).toBe(0)
  })

  it('gains nothing from the steps of another', async () => {
    const clock = createFakeClock()
    let step = () => {}
    const stepping: Detector = {
      name: 'stepping',
      detect(_document, options) {
        step = () => options.onStep?.()
        return new Promise(() => {})
      },
    }
    const stuck: Detector = { name: 'stuck', detect: () => new Promise(() => {}) }
    const call = filterSegments(texts('Ada'), { detectors: [stuck, stepping], clock }).catch((error: unknown) => error)
    await clock.waitForSleepers(1)
    step()
    await clock.advance(10_000)
    await clock.waitForSleepers(1)
    await clock.advance(10_000)
    const failures = ['stuck', 'stepping'].map((detector) => ({ detector, reason: 'timeout' }))
    expect(await call).toMatchObject({ details: { failures } })
  })

  it('leaves no clock running once it has answered', async () => {
    const clock = createFakeClock()
    await filterSegments(texts('Ada'), { detectors: [wordDetector('Ada')], clock })
    expect(clock.sleepers).toBe(0)
  })

  it('fails within its limit in real time too', async () => {
    const slow: Detector = { name: 'slow', detect: () => new Promise(() => {}) }
    const call = filterSegments(texts('Ada'), { detectors: [slow], detectorTimeoutMs: 5 })
    await expect(call).rejects.toMatchObject({ details: { failures: [{ detector: 'slow', reason: 'timeout' }] } })
  })
})

describe('a caller that leaves', () => {
  it('ends the call with its reason, also when a detector does not listen', async () => {
    const caller = new AbortController()
    const deaf: Detector = { name: 'deaf', detect: () => new Promise(() => {}) }
    const call = filterSegments(texts('Ada'), { detectors: [deaf], signal: caller.signal })
    caller.abort(new DOMException('gone', 'AbortError'))
    await expect(call).rejects.toThrow('gone')
  })

  it('is not listened to once the call has ended, however it did', async () => {
    const { signal } = new AbortController()
    await filterSegments(texts('Ada'), { detectors: [wordDetector('Ada')], signal })
    await filterSegments(texts('Ada'), { detectors: [createUnavailableDetector('gone')], signal }).catch(() => {})
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('before the call asks no detector', async () => {
    const call = filterSegments(texts('Ada'), {
      detectors: [createUnavailableDetector('gone')],
      signal: AbortSignal.abort(new DOMException('gone', 'AbortError')),
    })
    await expect(call).rejects.toThrow('gone')
  })
})

it('for any segments and detections: no masked text is left, a block rewrites nothing, and the order does not matter', async () => {
  const word = fc.constantFrom('ada', 'bo', 'tok', ' ', '🚲', 'é')
  const segments = fc.array(
    fc.array(word, { maxLength: 8 }).map((words) => words.join('')),
    { maxLength: 5 },
  )
  const detectors = fc.uniqueArray(
    fc.record({
      word: fc.constantFrom('ada', 'bo', 'tok', 'dab', 'ok', 'a'),
      action: fc.constantFrom('allow' as const, 'mask' as const, 'block' as const),
      source: fc.constantFrom('ner' as const, 'pattern' as const),
    }),
    { minLength: 1, maxLength: 4, selector: ({ word }) => word },
  )
  await fc.assert(
    fc.asyncProperty(segments, detectors, async (list, policies) => {
      const run = (order: typeof policies) =>
        filterSegments(texts(...list), {
          detectors: order.map(({ word, ...rest }) => wordDetector(word, rest)),
          masks: { mask: () => '#' },
        })
      const outcome = await run(policies)
      expect(await run(policies.toReversed())).toEqual(outcome)
      const blocks = policies.some(({ word, action }) => action === 'block' && list.some((text) => text.includes(word)))
      expect(outcome.blocked).toBe(blocks)
      for (const [index, { rewritten }] of outcome.segments.entries()) {
        if (blocks) expect(rewritten).toBeUndefined()
        for (const { word, action } of policies) {
          if (!blocks && action === 'mask') expect(rewritten ?? list[index]).not.toContain(word)
        }
      }
    }),
  )
})
