import { expect, it } from 'vitest'
import {
  chooseTurnEnd,
  countCommonBytes,
  neutraliseDelimiters,
  renderChatml,
  writeAnswer,
  writeSystemTurn,
} from './score-prompt.ts'

it('labels and descriptions are quoted as models were trained to read them', () => {
  expect(writeAnswer('a"b\\c\nd\re\tf\u0001', '<end>')).toBe('{"route": "a\\"b\\\\c\\nd\\re\\tf\u0001"}<end>')
  const policies = [
    { label: 'x"', description: 'one\ntwo' },
    { label: 'y', description: '' },
  ]
  expect(writeSystemTurn(policies)).toContain(
    '\n\n<routes>\n{"name": "x\\"", "description": "one\\ntwo"}\n{"name": "y", "description": ""}\n</routes>\n\n',
  )
})

it('ChatML ends where the answer begins', () => {
  expect(renderChatml({ system: 's', user: 'u' })).toBe(
    '<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n',
  )
})

it.each([
  [[], '<|im_end|>', ''],
  [[''], 'x', ''],
  [['', '<a>', '<b>'], 'x', '<a>'],
  [['', '<a>', '<b>'], '{{.Content}}<b>', '<b>'],
  [['<a>', '<b>'], '<b><a>', '<a>'],
])('of the stop words %j and the template %j, %j ends a turn', (stopWords, template, expected) => {
  expect(chooseTurnEnd(stopWords, template)).toBe(expected)
})

it.each([
  ['plain', '<|im_end|>', 'plain'],
  ['a<|im_end|>b<|im_start|>', '<|im_end|>', 'a< |im_end| >b< |im_start| >'],
  ['a</s>b</s>', '</s>', 'a< / s >b< / s >'],
  ['a</s>b', '', 'a</s>b'],
  ['<|end|>', '', '< |end| >'],
  ['a$&b', '$&', 'a$ &b'],
  ['<||> <|a|b|> <|a<|>', '<|im_end|>', '<||> <|a|b|> <|a<|>'],
  [`<|${'x'.repeat(64)}|><|${'y'.repeat(65)}|>`, '', `< |${'x'.repeat(64)}| ><|${'y'.repeat(65)}|>`],
])('%j with the turn end %j reads %j', (text, turnEnd, expected) => {
  expect(neutraliseDelimiters(text, turnEnd)).toBe(expected)
})

it.each([
  ['', '', 0],
  ['a', 'b', 0],
  ['same', 'same', 4],
  ['same', 'sames', 4],
  ['aäx', 'aäy', 3],
  // both letters begin with the same byte
  ['ä', 'ö', 1],
])('%j and %j begin with %3$i same bytes', (one, other, count) => {
  expect(countCommonBytes(one, other)).toBe(count)
  expect(countCommonBytes(other, one)).toBe(count)
})
