import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reduceHtml } from './reduce-html.ts'

test.each([
  ['<b>x</b>', '<b>x</b>'],
  ['<details open><summary>a</summary>b</details>', '<details><summary>a</summary>b</details>'],
  ['H<sub class="x">2</sub>O<br/>', 'H<sub>2</sub>O<br>'],
  ['<img src=x onerror=alert(1)>', ''],
  ['<script>alert("<b>")</script>after', 'after'],
  ['<style>a{}', ''],
  ['<!-- <b> -->x', 'x'],
  ['a < b && c > d &lt;', 'a &lt; b &amp;&amp; c &gt; d &lt;'],
  ['<a href="https://a.test">x</a>', 'x'],
  ['<b title=">" onclick="x">', '<b>" onclick="x"&gt;'],
])('%s becomes %s', (html, reduced) => {
  expect(reduceHtml(html)).toBe(reduced)
})

test('nothing but plain elements and text comes out', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      ' onload=x',
      '<b',
      '</',
      'script',
      '<!--',
      '-->',
      '/',
      '=',
      '<svg',
      '<img src=x>',
    ),
    fc.string({ maxLength: 3 }),
  )
  const check = (pieces: readonly string[]) => {
    expect(reduceHtml(pieces.join('')).replace(/<\/?[a-z][a-z0-9]*>/g, '')).not.toMatch(/[<>]/)
  }
  fc.assert(fc.property(fc.array(piece), check), { numRuns: 1000 })
})
