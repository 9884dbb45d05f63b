import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import type { LlmSettings } from '../../../catalog/model-config.ts'
import { createCollectingLogger } from '../__fixtures__/collecting-logger.ts'
import { readModel } from '../__fixtures__/read-prompts.ts'
import { createReplyFinisher, finishReply } from './reply-finisher.ts'
import { createReplyRuleBook, type ReplyRules } from './reply-rules.ts'
import { passThrough } from './text-stage.ts'

function compileRules(llm: LlmSettings, replyPrefix = ''): ReplyRules {
  return createReplyRuleBook().findRules(createModel({ llm, template: { replyPrefix } }))
}

const finish = (llm: LlmSettings, text: string) => finishReply(compileRules(llm), text)

describe('a finished reply', () => {
  it('is the reply where its model has no rules', () => {
    expect(finish({}, ' a\n')).toBe(' a\n')
  })

  it('has no cut strings', () => {
    expect(finish({ cutstrings: ['<b>', '\\d+'] }, 'a<b>1b22<b>')).toBe('ab')
    expect(finish({ cutstrings: ['ab', 'c'] }, 'acbab')).toBe('ab')
  })

  it('is the first match of each pattern, if there is one', () => {
    expect(finish({ extractRegex: ['<a>.*?</a>'] }, 'x<a>1</a>y<a>2</a>')).toBe('<a>1</a>')
    expect(finish({ extractRegex: ['\\d', '[A-Z]'] }, 'a1B2C')).toBe('1B')
    expect(finish({ extractRegex: ['\\d', '[A-Z]'] }, 'aB')).toBe('B')
    expect(finish({ extractRegex: ['\\d'] }, ' none ')).toBe(' none ')
  })

  it('loses a prefix, then white space at both ends, for each entry', () => {
    expect(finish({ trimspace: ['A:'] }, 'A: hi ')).toBe('hi')
    expect(finish({ trimspace: ['A:'] }, ' A: hi ')).toBe('A: hi')
    expect(finish({ trimspace: ['', 'A:'] }, ' A: hi ')).toBe('hi')
    expect(finish({ trimspace: ['x', 'b '] }, 'b ')).toBe('b')
  })

  it('loses a suffix, then white space at both ends, for each entry', () => {
    expect(finish({ trimsuffix: ['</s>'] }, ' hi </s>')).toBe('hi')
    expect(finish({ trimsuffix: ['</s>'] }, 'hi</s> ')).toBe('hi</s>')
    expect(finish({ trimsuffix: ['</s>', '!'] }, 'hi ! </s>')).toBe('hi')
  })

  it('goes through the rules in order: cut, extract, trim', () => {
    const llm = { cutstrings: ['#'], extractRegex: ['<.*>'], trimspace: ['<'], trimsuffix: ['>'] }
    expect(finish(llm, 'a<# b #>c')).toBe('b')
  })

  it('begins with echo and prefix, and the rules apply to them', () => {
    const rules = compileRules({ trimspace: ['Q'] }, 'Sure: ')
    expect(finishReply(rules, 'yes', { echo: 'Q? ' })).toBe('? Sure: yes')
    expect(finishReply(compileRules({}, 'Sure: '), 'yes')).toBe('Sure: yes')
    expect(finishReply(compileRules({}, 'Sure: '), '')).toBe('Sure: ')
  })

  it('follows the keys of a model file', () => {
    const book = createReplyRuleBook()
    expect(finishReply(book.findRules(readModel('09-legacy-keys.yaml')), '  \n a </s>')).toBe('a')
    expect(finishReply(book.findRules(readModel('06-tokenizer-template.yaml')), 'yes')).toBe('Sure: yes')
  })
})

describe('a reply that is finished while it arrives', () => {
  const stream = (llm: LlmSettings, ...pieces: string[]) => {
    const finisher = createReplyFinisher(compileRules(llm))
    return [...pieces.map((piece) => finisher.push(piece)), finisher.end()]
  }

  it('passes through without rules', () => {
    expect(createReplyFinisher(compileRules({}))).toBe(passThrough)
    expect(createReplyFinisher(compileRules({}), { echo: '' })).toBe(passThrough)
  })

  it('begins with echo and prefix once', () => {
    const finisher = createReplyFinisher(compileRules({}, 'Sure: '), { echo: 'Q?' })
    expect([finisher.push('a'), finisher.push('b'), finisher.end()]).toEqual(['Q?Sure: a', 'b', ''])
    const silent = createReplyFinisher(compileRules({}, 'Sure: '))
    expect(silent.end()).toBe('Sure: ')
  })

  it('holds back only text that may be trimmed', () => {
    expect(stream({ trimsuffix: ['</s>'] }, ' one', ' two ', '<', '/s>')).toEqual(['one', ' two', '', '', ''])
    expect(stream({ trimspace: ['A:'] }, 'A', ': ', 'one ', 'two ')).toEqual(['', '', 'one', ' two', ''])
  })

  it('is sent at the end when patterns need the whole text', () => {
    expect(stream({ cutstrings: ['b'] }, 'ab', 'ba')).toEqual(['', '', 'aa'])
    expect(stream({ extractRegex: ['b+'] }, 'ab', 'ba')).toEqual(['', '', 'bb'])
  })

  it('gives the same result for any cuts, and never sends text that a rule removes', () => {
    const unit = fc.constantFrom('a', 'b', ' ', '\n', '<', '>', '1', '😀')
    const word = fc.string({ unit, maxLength: 3 })
    const list = fc.array(word, { maxLength: 2 })
    const patterns = fc.subarray(['a+', '<.*?>', '\\d', '^ *', '😀'], { maxLength: 2 })
    const settings = fc.record(
      { cutstrings: patterns, extractRegex: patterns, trimspace: list, trimsuffix: list },
      { requiredKeys: [] },
    )
    const pieces = fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 6 })
    fc.assert(
      fc.property(settings, word, word, pieces, (llm, prefix, echo, parts) => {
        const rules = compileRules(llm, prefix)
        const finisher = createReplyFinisher(rules, { echo })
        const streamed = [...parts.map((part) => finisher.push(part)), finisher.end()].join('')
        expect(streamed).toBe(byHand(llm, echo + prefix + parts.join('')))
        expect(finishReply(rules, parts.join(''), { echo })).toBe(streamed)
      }),
      { numRuns: 2000 },
    )
  })

  /**
   * Applies the rules to a whole text, one line for each rule. The texts above hold no white space that `trim` reads
   * differently.
   */
  function byHand({ cutstrings = [], extractRegex = [], trimspace = [], trimsuffix = [] }: LlmSettings, reply: string) {
    let text = reply
    for (const source of cutstrings) text = text.replaceAll(new RegExp(source, 'gu'), '')
    const found = extractRegex.map((source) => new RegExp(source, 'u').exec(text)?.[0] ?? '').join('')
    if (found !== '') text = found
    for (const prefix of trimspace) text = (text.startsWith(prefix) ? text.slice(prefix.length) : text).trim()
    for (const end of trimsuffix) text = (text.endsWith(end) ? text.slice(0, text.length - end.length) : text).trim()
    return text
  }
})

describe('the rules of a model', () => {
  it('are compiled once for each config', () => {
    const book = createReplyRuleBook()
    const model = createModel({ llm: { cutstrings: ['a'] } })
    expect(book.findRules(model)).toBe(book.findRules(model))
    expect(book.findRules({ ...model })).not.toBe(book.findRules(model))
  })

  it('skip invalid patterns and log them once', () => {
    const { logger, lines } = createCollectingLogger()
    const book = createReplyRuleBook({ logger })
    const model = createModel({ llm: { cutstrings: ['(', 'b'], extractRegex: ['(?=x)'] } })
    expect(finishReply(book.findRules(model), 'a(b')).toBe('a(')
    expect(finishReply(book.findRules(model), 'a(b')).toBe('a(')
    expect(lines.map(({ level, fields, message }) => [level, fields.model, fields.key, message])).toEqual([
      ['warn', 'm', 'cutstrings', 'pattern of a model file is ignored'],
      ['warn', 'm', 'extract_regex', 'pattern of a model file is ignored'],
    ])
  })
})
