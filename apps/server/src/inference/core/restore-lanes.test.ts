import { createTokenMap, restoreText } from '@svc/pii/reversible'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PredictionEvent } from './events.ts'
import { createLaneRestoration } from './restore-lanes.ts'

/** Random cuts; `SVC_LONG=1` takes 100,000. */
const CUTS = process.env.SVC_LONG === '1' ? 100_000 : 2000

/** JSON may write these values in another way, or they look like tokens themselves. */
const VALUES = ['Ada', 'say "hi"\n\\', 'größe 😀 \u2028', '[REDACTED:NAME_001]']
const map = createTokenMap({ texts: [] })
const TOKENS = VALUES.map((value) => map.mask({ group: 'NAME' }, value))

/** Text of a model: tokens, near tokens and other text. */
const said = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...TOKENS,
        '[',
        '[RED',
        '[REDACTED:NAME_',
        '[REDACTED:NAME_009]',
        ']',
        'NAME_001',
        '"',
        '\\',
        ' ',
      ),
      fc.string({ unit: 'grapheme' }),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''))
/** Arguments of a call: tokens in strings and keys, and in JSON inside a string. */
const called = fc
  .record({
    a: said,
    list: fc.array(said, { maxLength: 3 }),
    key: fc.constantFrom(...TOKENS),
    inner: fc.constantFrom(...TOKENS),
  })
  .map(({ key, ...rest }) => JSON.stringify({ ...rest, [key]: 1 }))
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })

/** Cuts a text at these shares of its length; leaves out empty pieces. */
function cut(text: string, shares: readonly number[]): string[] {
  const ends = [...new Set([...shares.map((share) => Math.floor(share * text.length)), text.length])].sort(
    (a, b) => a - b,
  )
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)).filter((piece) => piece !== '')
}

function restored(events: readonly PredictionEvent[]): PredictionEvent[] {
  const restore = createLaneRestoration(map)
  const all: PredictionEvent[] = []
  for (const event of events) restore(event, all)
  return all
}

/** Joins the lanes of choice 0. */
function joinLanes(events: readonly PredictionEvent[]) {
  const lanes = { text: '', reasoning: '', calls: ['', ''] as [string, string] }
  for (const event of events) {
    if (event.type === 'text-delta') lanes.text += event.text
    if (event.type === 'reasoning-delta') lanes.reasoning += event.text
    if (event.type === 'tool-call-delta') lanes.calls[event.index === 0 ? 0 : 1] += event.arguments
  }
  return lanes
}

const choice = 0
const text = (piece: string): PredictionEvent => ({ type: 'text-delta', choice, text: piece })
const reasoning = (piece: string): PredictionEvent => ({ type: 'reasoning-delta', choice, text: piece })
const call = (index: number, pieces: readonly string[]): PredictionEvent[] => [
  { type: 'tool-call-start', choice, index, id: `c${index}`, name: 'f' },
  ...pieces.map((piece): PredictionEvent => ({ type: 'tool-call-delta', choice, index, arguments: piece })),
]
const end: PredictionEvent = { type: 'choice-end', choice, finishReason: 'stop' }

describe('values that come back', () => {
  it('restore the values of the whole text for any cuts of its lanes', () => {
    const one = fc.tuple(said, places)
    const other = fc.tuple(called, places)
    fc.assert(
      fc.property(one, one, other, other, (thought, answer, first, second) => {
        const events = restored([
          ...cut(...thought).map(reasoning),
          ...cut(...answer).map(text),
          ...call(0, cut(...first)),
          ...call(1, cut(...second)),
          end,
        ])
        const lanes = joinLanes(events)
        expect([lanes.reasoning, lanes.text]).toEqual([restoreText(map, thought[0]), restoreText(map, answer[0])])
        const whole = joinLanes(restored([...call(0, [first[0]]), ...call(1, [second[0]]), end]))
        expect(lanes.calls).toEqual(whole.calls)
        expect(lanes.calls.map((json) => JSON.parse(json))).toEqual(
          [first, second].map(([json]) => JSON.parse(json, (_, value) => restoreValue(value))),
        )
        expect(events.at(-1)).toEqual(end)
      }),
      { numRuns: CUTS },
    )
  }, 600_000)

  it('are sent before the event that ends their lane, and at once when they cannot become a token', () => {
    expect(restored([reasoning('so ['), text('a'), text(' [REDA'), ...call(0, ['{"a":"[R']), end])).toEqual([
      reasoning('so '),
      reasoning('['),
      text('a'),
      text(' '),
      text('[REDA'),
      { type: 'tool-call-start', choice, index: 0, id: 'c0', name: 'f' },
      { type: 'tool-call-delta', choice, index: 0, arguments: '{"a":"' },
      { type: 'tool-call-delta', choice, index: 0, arguments: '[R' },
      end,
    ])
  })

  it('stand in names of functions and in the text that stopped a choice', () => {
    const [token = '', value = ''] = [TOKENS[0], VALUES[0]]
    const named: PredictionEvent = { type: 'tool-call-start', choice, index: 0, id: 'c', name: `ask ${token}` }
    expect(restored([named, { ...end, stopText: token }])).toEqual([
      { ...named, name: `ask ${value}` },
      { ...end, stopText: value },
    ])
  })
})

/** Restores a string, or an object by its keys, as the client reads it. */
function restoreValue(value: unknown): unknown {
  if (typeof value === 'string') return restoreText(map, value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [restoreText(map, key), item]))
}
