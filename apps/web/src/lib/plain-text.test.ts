import { expect, it } from 'vitest'
import { toPlainText } from './plain-text.ts'

it.each([
  ['a plain description.', 'a plain description.'],
  ['**Bold** and *soft* and `code`', 'Bold and soft and code'],
  ['# A head\n\ntext', 'A head\n\ntext'],
  ['See [the card](https://a.example/x) here', 'See the card here'],
  ['![A chart](https://a.example/x.png) beside', 'A chart beside'],
  ['<p align="center">Hello</p><br/>there', 'Hellothere'],
  ['- one\n- two\n* three', 'one\ntwo\nthree'],
  ['> quoted', 'quoted'],
  ['<https://a.example>', 'https://a.example'],
  ['```sh\nrun me\n```', 'run me'],
  ['one\n\n---\n\ntwo', 'one\n\ntwo'],
  ['snake_case_name and __init__', 'snake_case_name and init'],
  ['5 * 3 * 2 stays, a<b stays', '5 * 3 * 2 stays, a<b stays'],
  ['[unfinished](', '[unfinished]('],
  ['', ''],
])('takes the signs out of %j', (markdown, text) => {
  expect(toPlainText(markdown)).toBe(text)
})

it('takes no long time for a text that is made to', () => {
  const began = performance.now()
  for (const part of ['[', '**a', '<a ', '![', '`x', '*b', '- ']) toPlainText(part.repeat(5_000))
  // a text that goes wrong takes minutes
  expect(performance.now() - began).toBeLessThan(20_000)
})
