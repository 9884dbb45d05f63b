import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PredictionEvent } from '../../../inference/core/events.ts'
import { type BlockKind, createBlockOrder } from './blocks.ts'

type ChoiceEvent = Exclude<PredictionEvent, { type: 'usage' }>

const text = (said: string): ChoiceEvent => ({ type: 'text-delta', choice: 0, text: said })
const thought = (said: string): ChoiceEvent => ({ type: 'reasoning-delta', choice: 0, text: said })
const signature = (given: string): ChoiceEvent => ({ type: 'reasoning-signature', choice: 0, signature: given })
const redacted: ChoiceEvent = { type: 'redacted-reasoning', choice: 0, data: 'enc' }
const call = (index: number): ChoiceEvent => ({
  type: 'tool-call-start',
  choice: 0,
  index,
  id: `c${index}`,
  name: 'f',
})
const json = (index: number, piece: string): ChoiceEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  index,
  arguments: piece,
})
const END: ChoiceEvent = { type: 'choice-end', choice: 0, finishReason: 'stop' }

/** Joins the blocks of a message. Fails when two are open at a time, or one stays open. */
function joinBlocks(events: readonly ChoiceEvent[], showsThinking = true): (readonly [string, string])[] {
  const order = createBlockOrder({ showsThinking })
  const blocks: [string, string][] = []
  let open: BlockKind | undefined
  for (const step of [...events, END].flatMap((event) => order.event(event))) {
    if (step.step === 'start') {
      expect(open).toBeUndefined()
      open = step.block
      blocks.push([step.block.type === 'tool_use' ? step.block.id : step.block.type, ''])
    } else {
      expect(open).toBeDefined()
      if (step.step === 'stop') open = undefined
      else blocks[blocks.length - 1] = [blocks.at(-1)?.[0] ?? '', (blocks.at(-1)?.[1] ?? '') + step.text]
    }
  }
  expect(open).toBeUndefined()
  return blocks
}

describe('the blocks of a message', () => {
  it.each<[string, ChoiceEvent[], (readonly [string, string])[]]>([
    ['nothing', [], [['text', '']]],
    ['space alone', [text('\n'), text(' ')], [['text', '\n ']]],
    [
      'space before thoughts',
      [text('\n'), thought('a'), text('\n'), text('b')],
      [
        ['thinking', 'a'],
        ['text', '\nb'],
      ],
    ],
    [
      'thoughts between text',
      [text('a'), thought('b'), text('c')],
      [
        ['text', 'a'],
        ['thinking', 'b'],
        ['text', 'c'],
      ],
    ],
    ['space that starts text', [text(' '), text('a')], [['text', ' a']]],
    ['a call without arguments', [call(0)], [['c0', '']]],
    [
      'text behind a call',
      [call(0), json(0, '{}'), text('\n'), text('a')],
      [
        ['c0', '{}'],
        ['text', '\na'],
      ],
    ],
    ['space behind a call', [call(0), json(0, '{}'), text('\n')], [['c0', '{}']]],
    [
      'calls that arrive mixed',
      [call(0), json(0, '{"a":'), call(1), json(1, '{'), json(0, '1}'), json(1, '}'), call(2), json(2, '{}')],
      [
        ['c0', '{"a":1}'],
        ['c1', '{}'],
        ['c2', '{}'],
      ],
    ],
    [
      'a call that is cut off before others',
      [call(0), json(0, '{"a":'), call(1), json(1, '{}')],
      [
        ['c0', '{"a":'],
        ['c1', '{}'],
      ],
    ],
  ])('%s', (_, events, blocks) => {
    expect(joinBlocks(events)).toEqual(blocks)
  })

  it('stream the next call as soon as the previous one is complete', () => {
    const order = createBlockOrder({ showsThinking: true })
    for (const event of [call(0), json(0, '{}')]) order.event(event)
    expect(order.event(call(1)).map(({ step }) => step)).toEqual(['stop', 'start'])
    expect(order.event(json(1, '{'))).toEqual([{ step: 'piece', text: '{' }])
  })

  it('contain no thinking unless the client asks for it', () => {
    expect(joinBlocks([thought('a')], false)).toEqual([['text', '']])
    expect(joinBlocks([thought('a'), text('b')], false)).toEqual([['text', 'b']])
  })

  it.each<[string, ChoiceEvent[], string[]]>([
    ['behind its text', [thought('a'), signature('s'), text('b')], ['thinking s', 'text ']],
    ['of two thoughts', [thought('a'), signature('s'), thought('b'), signature('t')], ['thinking s', 'thinking t']],
    ['of a thought without text', [signature('s'), text('b')], ['thinking s', 'text ']],
    ['beside an encrypted thought', [redacted, thought('a'), signature('s')], ['redacted_thinking ', 'thinking s']],
    ['of none', [thought('a'), redacted, text('b')], ['thinking ', 'redacted_thinking ', 'text ']],
  ])('end a thought with the signature of its upstream: %s', (_, events, expected) => {
    const sign = (showsThinking: boolean): string[] => {
      const order = createBlockOrder({ showsThinking })
      const blocks: string[] = []
      let type = ''
      for (const step of [...events, END].flatMap((event) => order.event(event))) {
        if (step.step === 'start') type = step.block.type
        if (step.step === 'stop') blocks.push(`${type} ${step.signature ?? ''}`)
      }
      return blocks
    }
    expect(sign(true)).toEqual(expected)
    expect(sign(false)).toEqual([`text `])
  })

  it('lose and duplicate nothing for any order of the lanes', () => {
    const word = fc.stringMatching(/^[a-z]{1,4}$/)
    const said = fc.oneof(word.map(text), word.map(thought))
    const calls = fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(said, { maxLength: 6 }), calls, fc.infiniteStream(fc.nat()), (spoken, inputs, order) => {
        const lanes: ChoiceEvent[][] = inputs.map((words, index) => {
          const whole = JSON.stringify(Object.fromEntries(words.map((one) => [one, one])))
          return [call(index), ...[...whole].map((piece) => json(index, piece))]
        })
        const expected = lanes.map((lane, index) => [
          `c${index}`,
          lane.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join(''),
        ])
        const mixed: ChoiceEvent[] = []
        const waiting = [[...spoken], ...lanes.map((lane) => [...lane])]
        let started = 0
        while (waiting.some((lane) => lane.length > 0)) {
          const lane = waiting[Number(order.next().value) % waiting.length]
          const [next] = lane ?? []
          // Backends number calls in the order in which they begin.
          if (next === undefined || (next.type === 'tool-call-start' && next.index !== started)) continue
          if (next.type === 'tool-call-start') started += 1
          mixed.push(next)
          lane?.shift()
        }
        const blocks = joinBlocks(mixed)
        expect(blocks.filter(([kind]) => kind.startsWith('c'))).toEqual(expected)
        const lane = (kind: string): string => blocks.flatMap(([of, whole]) => (of === kind ? [whole] : [])).join('')
        const all = (type: ChoiceEvent['type']): string =>
          spoken.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
        expect([lane('text'), lane('thinking')]).toEqual([all('text-delta'), all('reasoning-delta')])
      }),
    )
  })
})
