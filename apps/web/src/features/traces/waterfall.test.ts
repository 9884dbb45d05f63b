import { describe, expect, it } from 'vitest'
import { REQUEST_MARKS } from '../../lib/stages.gen.ts'
import { findPhaseOfCall, layOutPhases, pickTimes, placeCall } from './waterfall.ts'

const PHASES = {
  body: 1,
  resolve: 1,
  globalLimit: 0,
  router: 40,
  access: 1,
  modelLimit: 1,
  pii: 50,
  parse: 2,
  model: 4,
  reply: 900,
  admission: 4,
  load: 100,
  prompt: 300,
  first_byte: 498,
  first_token: 500,
  total: 1000,
}

describe('layOutPhases', () => {
  const rows = new Map(layOutPhases(PHASES, { totalMs: 1000, isStreamed: true }).map((row) => [row.name, row]))

  it('places stages one after the other, admission in two pieces around the router', () => {
    expect(rows.get('admission')).toEqual({
      name: 'admission',
      ms: 4,
      spans: [
        { start: 0, length: 1 },
        { start: 1, length: 1 },
        { start: 2, length: 0 },
        { start: 42, length: 1 },
        { start: 43, length: 1 },
      ],
    })
    expect(rows.get('router')?.spans).toEqual([{ start: 2, length: 40 }])
    expect(rows.get('pii')?.spans).toEqual([{ start: 44, length: 50 }])
  })

  it('places load before the prompt, and the stream after the first token', () => {
    expect(rows.get('load')?.spans).toEqual([{ start: 100, length: 100 }])
    expect(rows.get('prompt')?.spans).toEqual([{ start: 200, length: 300 }])
    expect(rows.get('first_token')).toEqual({ name: 'first_token', ms: 500, spans: [{ start: 500, length: 0 }] })
    expect(rows.get('stream')?.spans).toEqual([{ start: 500, length: 500 }])
  })

  it('shows a reply in one piece as one answer', () => {
    const whole = layOutPhases(PHASES, { totalMs: 1000, isStreamed: false })
    expect(whole.map(({ name }) => name)).toEqual(['admission', 'pii', 'router', 'load', 'answer'])
    expect(whole.at(-1)?.spans).toEqual([{ start: 200, length: 300 }])
  })

  it('leaves out what is too short to be a cause', () => {
    expect(rows.has('parse')).toBe(false)
    expect(rows.has('model')).toBe(false)
  })

  it.each([
    ['alone', { audit: 7 }, ['audit'], [{ start: 0, length: 7 }]],
    ['after a known one', { body: 2, audit: 7 }, ['admission', 'audit'], [{ start: 2, length: 7 }]],
    ['before the model', { body: 2, audit: 7, model: 3 }, ['admission', 'audit', 'model'], [{ start: 2, length: 7 }]],
    ['of no length', { audit: 0 }, ['audit'], [{ start: 0, length: 0 }]],
    ['named as a property of objects', { constructor: 7 }, ['constructor'], [{ start: 0, length: 7 }]],
    ['with a separator of texts', { 'tool.loop:1': 7 }, ['tool.loop:1'], [{ start: 0, length: 7 }]],
  ])('draws a stage that it does not know: %s', (_, stages, names, spans) => {
    const drawn = layOutPhases({ ...stages, total: 20 }, { totalMs: 20, isStreamed: false })
    expect(drawn.map(({ name }) => name)).toEqual(names)
    const unknown = drawn.find(({ name }) => !['admission', 'model'].includes(name))
    expect(unknown?.spans).toEqual(spans)
  })

  it('places what follows an unknown stage behind it', () => {
    const later = layOutPhases({ body: 2, audit: 7, pii: 5 }, { totalMs: 14, isStreamed: false })
    expect(later.find(({ name }) => name === 'pii')?.spans).toEqual([{ start: 9, length: 5 }])
  })

  it.each(REQUEST_MARKS)('draws no stage for the mark %s', (mark) => {
    const drawn = layOutPhases({ body: 2, [mark]: 5 }, { totalMs: 10, isStreamed: true })
    expect(drawn.find(({ name }) => name === 'admission')?.spans).toEqual([{ start: 0, length: 2 }])
    expect(drawn.filter(({ name }) => name === mark).flatMap(({ spans }) => spans).length).toBeLessThanOrEqual(1)
  })

  it('leaves out what is not a time', () => {
    const drawn = layOutPhases({ body: 2, odd: Number.NaN, pii: 3 }, { totalMs: 5, isStreamed: false })
    expect(drawn.map(({ name }) => name)).toEqual(['admission', 'pii'])
    expect(drawn.at(-1)?.spans).toEqual([{ start: 2, length: 3 }])
  })

  it('shows how far a refused request came', () => {
    expect(
      layOutPhases({ body: 1, resolve: 3, admission: 4, total: 4 }, { totalMs: 4, isStreamed: false }).map(
        ({ name }) => name,
      ),
    ).toEqual(['admission'])
    expect(layOutPhases({}, { totalMs: 0, isStreamed: false })).toEqual([])
  })

  it('shows the call of a request that failed before its reply', () => {
    const failed = layOutPhases(
      { body: 1, model: 12, admission: 1, load: 2, total: 13 },
      { totalMs: 13, isStreamed: false },
    )
    expect(failed.map(({ name }) => name)).toEqual(['admission', 'load', 'model'])
    expect(failed.at(-1)?.spans).toEqual([{ start: 1, length: 12 }])
  })
})

it('puts calls below the phase that made them', () => {
  expect(['token_classify', 'pattern_pii', 'score', 'vector_store', 'model_load', 'llm'].map(findPhaseOfCall)).toEqual([
    'pii',
    'pii',
    'router',
    'router',
    'load',
    'stream',
  ])
})

it('cuts calls at the ends of their request', () => {
  const request = { timestamp: '2026-01-01T00:00:01.000Z' }
  const place = (timestamp: string, ms: number) => placeCall({ timestamp, duration: ms * 1e6 }, request, 100)
  expect(place('2026-01-01T00:00:01.040Z', 20)).toEqual({ start: 40, length: 20 })
  expect(place('2026-01-01T00:00:01.040Z', 500)).toEqual({ start: 40, length: 60 })
  expect(place('2026-01-01T00:00:00.999Z', 10)).toEqual({ start: 0, length: 10 })
  expect(place('2026-01-01T00:00:09.000Z', 10)).toEqual({ start: 100, length: 0 })
})

it.each([
  [2840, [0, 1000, 2000]],
  [179, [0, 50, 100, 150]],
  [1, [0, 0.5, 1]],
  [0, [0]],
])('picks round times for %d ms', (total, times) => {
  expect(pickTimes(total)).toEqual(times)
})
