import { expect, it } from 'vitest'
import { joinPrompt } from './prompt-words.ts'

it.each([
  [['hi'], '', 'hi'],
  [['hi', 'there'], 'not read', 'hi there'],
  [['-'], 'hi\n', 'hi'],
  [['-'], 'first line\n\nthird line\n', 'first line\n\nthird line'],
  [['Summarise', 'this:', '-'], 'a text\n', 'Summarise this:\n\na text'],
  [['-', 'is it long?'], 'a text', 'a text\n\nis it long?'],
  [['Compare', '-', 'with this'], 'a text', 'Compare\n\na text\n\nwith this'],
  [['a - b-c'], 'not read', 'a - b-c'],
  [['--', '- one\n- two'], 'not read', '-- - one\n- two'],
  [['-'], ' \n', ''],
  [['', ' '], '', ''],
])('%j with %j is %j', (words, piped, prompt) => {
  expect(joinPrompt(words, piped)).toBe(prompt)
})
