import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReasoningSettings } from '../settings.ts'
import {
  createBlockWriter,
  createReasoningSplitter,
  type ReasoningDelta,
  type ReplyStart,
} from './reasoning-splitter.ts'
import { splitReasoning } from './split-reasoning.ts'
import { BUILT_IN_TAG_PAIRS } from './tag-pairs.ts'

function feed(pieces: readonly string[], settings: ReasoningSettings = {}, start: ReplyStart = {}): ReasoningDelta[] {
  const splitter = createReasoningSplitter(settings, start)
  return [...pieces.map((piece) => splitter.push(piece)), splitter.end()]
}

function join(deltas: readonly ReasoningDelta[]): ReasoningDelta {
  return {
    reasoning: deltas.map(({ reasoning }) => reasoning).join(''),
    text: deltas.map(({ text }) => text).join(''),
  }
}

const custom: ReasoningSettings = {
  tagPairs: [
    { start: '((', end: '))' },
    { start: '(((', end: ')' },
    { start: 'aa', end: 'aab' },
  ],
}
const tags = [...BUILT_IN_TAG_PAIRS, ...(custom.tagPairs ?? [])].flatMap(({ start = '', end = '' }) => [start, end])
const word = fc.oneof(
  fc.constantFrom(...tags),
  fc.constantFrom(...tags).map((tag) => tag.slice(0, -1)),
  fc.constantFrom(' ', '\n', '\u00a0', '\ufeff', '<', '|', '(', 'a', 'x', '🤔'),
)
const reply = fc.array(word, { maxLength: 12 }).map((words) => words.join(''))
const start = fc.constantFrom(undefined, '<think>', '((', '[THINK]')

describe('createReasoningSplitter', () => {
  it('gives the same lanes however the reply is cut', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 6 })
    fc.assert(
      fc.property(reply, cuts, start, fc.boolean(), (text, places, promptEndsInside, isCustom) => {
        const settings = isCustom ? custom : {}
        const offsets = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]
        const pieces = offsets.slice(1).map((end, index) => text.slice(offsets[index], end))
        const whole = join(feed([text], settings, { promptEndsInside }))
        expect(join(feed(pieces, settings, { promptEndsInside }))).toEqual(whole)
        expect(join(feed(text.split(''), settings, { promptEndsInside }))).toEqual(whole)
      }),
    )
  })

  it('leaves text without tags alone, white space included', () => {
    const plain = fc.string({ unit: 'binary' }).filter((text) => !/[<[]/.test(text))
    fc.assert(
      fc.property(plain, (text) => {
        expect(join(feed(text.split('')))).toEqual({ reasoning: '', text })
      }),
    )
  })

  it('gives no text that a whole reply would not hold', () => {
    fc.assert(
      fc.property(reply, (text) => {
        const { reasoning, text: answer } = splitReasoning(text, { settings: {} })
        let seen: ReasoningDelta = { reasoning: '', text: '' }
        for (const delta of feed(text.split(''))) {
          seen = join([seen, delta])
          expect(reasoning.startsWith(seen.reasoning)).toBe(true)
          expect(answer.startsWith(seen.text)).toBe(true)
        }
      }),
    )
  })

  it('holds back possible tags only', () => {
    const deltas = feed(['Is 5 <', ' 7? <', 'th', 'at', ' <think', '>', 'yes', '<', '/', 'b></thin', 'k>', '!'])
    expect(deltas.map(({ text }) => text)).toEqual([
      'Is 5 ',
      '< 7? ',
      '',
      '<that',
      ' ',
      '',
      '',
      '',
      '',
      '',
      '',
      '!',
      '',
    ])
    expect(deltas.map(({ reasoning }) => reasoning)).toEqual([
      ...['', '', '', '', '', '', 'yes', '', '', '</b>', '', '', ''],
    ])
  })

  it('sends half a tag as text at the end of the reply', () => {
    expect(feed(['no <thi'])).toEqual([
      { reasoning: '', text: 'no ' },
      { reasoning: '', text: '<thi' },
    ])
    expect(feed(['<think>no </thi'])).toEqual([
      { reasoning: 'no', text: '' },
      { reasoning: ' </thi', text: '' },
    ])
  })

  it('begins inside the block that the prompt has opened', () => {
    const promptEndsInside = '<think>'
    expect(join(feed(['why', '</think>', 'so'], {}, { promptEndsInside }))).toEqual({ reasoning: 'why', text: 'so' })
    expect(join(feed(['wh', 'y'], {}, { promptEndsInside }))).toEqual({ reasoning: 'why', text: '' })
    expect(join(feed(['\n<thi', 'nk>why</think>so'], {}, { promptEndsInside }))).toEqual({
      reasoning: 'why',
      text: '\nso',
    })
  })

  it('does not begin inside a block that has no end, nor where that is turned off', () => {
    for (const settings of [{ disableReasoningTagPrefill: true }, { disable: true }]) {
      expect(join(feed(['why'], settings, { promptEndsInside: '<think>' }))).toEqual({ reasoning: '', text: 'why' })
    }
    expect(join(feed(['why'], {}, { promptEndsInside: '<mind>' }))).toEqual({ reasoning: '', text: 'why' })
  })

  it('removes the tags and reports nothing when reasoning is stripped', () => {
    expect(join(feed(['<think>a</think>b<think>c'], { stripReasoningOnly: true }))).toEqual({
      reasoning: '',
      text: 'b',
    })
  })

  it('takes linear time over tags that never come', () => {
    const long = 100_000
    for (const unit of ['<', '<|channel>', '<think>', '</think', '<think></think>', ' ', '<|end|><|begin|>']) {
      const text = unit.repeat(long)
      const prefilled = join(feed([text], {}, { promptEndsInside: '<|think|>' }))
      expect(join(feed(text.match(/.{1,7}/gs) ?? [], {}, { promptEndsInside: '<|think|>' }))).toEqual(prefilled)
    }
  })
})

/** The output for blocks, each a list of pieces. */
function writeBlocks(blocks: readonly (readonly string[])[]): string[] {
  const writer = createBlockWriter()
  return blocks.flatMap((pieces) => {
    writer.begin()
    return pieces.map((piece) => writer.write(piece))
  })
}

describe('createBlockWriter', () => {
  it('drops white space at both ends of a block, and keeps it inside', () => {
    expect(writeBlocks([['\n ', 'a ', '', ' ', ' b\n', '\u0085']])).toEqual(['', 'a', '', '', '   b', ''])
  })

  it('puts a blank line between blocks that say something', () => {
    expect(writeBlocks([['a '], [' '], [' b', ' c'], ['']])).toEqual(['a', '', '\n\nb', ' c', ''])
  })

  it('does not take a byte order mark for white space', () => {
    expect(writeBlocks([['\ufeffa\ufeff']])).toEqual(['\ufeffa\ufeff'])
  })
})
