// @vitest-environment jsdom
import { describe, expect, test } from 'vitest'
import { renderMaths } from './render-maths.ts'

/** The one `math` element of a formula. */
function renderMath(text: string, isDisplay = false): Element {
  const math = renderMaths(text, isDisplay)?.firstElementChild
  if (math === null || math === undefined) throw new Error(`${text} was not rendered`)
  return math
}

describe('renderMaths', () => {
  test.each(['$\\frac{a}{b}$', '\\(\\frac{a}{b}\\)'])('turns %s into MathML', (text) => {
    const math = renderMath(text)
    expect(math.localName).toBe('math')
    expect(math.querySelector('mfrac')?.textContent).toBe('ab')
    expect(math.getAttribute('display')).toBeNull()
  })

  test.each(['$$\\sum_{i=1}^n i$$', '\\[\\sum_{i=1}^n i\\]'])('sets %s on its own line', (text) => {
    expect(renderMath(text, true).getAttribute('display')).toBe('block')
  })

  test('keeps matrices, colours and lines under', () => {
    const math = renderMath('$$\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\color{red} \\underline{x}$$', true)
    expect(math.querySelectorAll('mtd')).toHaveLength(4)
    expect(math.innerHTML).toMatch(/color/)
  })

  test.each(['$\\frac{a$', '$\\unknowncommand$', '$\\begin{matrix} a$'])('leaves %s, which it cannot read', (text) => {
    expect(renderMaths(text, false)).toBeUndefined()
  })

  test('leaves formulas that grow without end or are very long', () => {
    expect(renderMaths('$\\def\\a{\\a\\a}\\a$', false)).toBeUndefined()
    expect(renderMaths(`$${'x'.repeat(10_001)}$`, false)).toBeUndefined()
  })

  test.each([
    '$\\href{javascript:alert(1)}{x}$',
    '$\\href{https://evil.test}{x}$',
    '$\\includegraphics{https://evil.test/x.png}$',
    '$\\class{overlay}{x}$',
    '$\\style{position:fixed}{x}$',
    '$\\id{main}{x}$',
    '$\\color{url(https://evil.test)}{x}$',
    '$\\text{<img src=x onerror=alert(1)>}$',
    '$<img src=x onerror=alert(1)>$',
  ])('makes nothing that runs, loads or covers of %s', (text) => {
    const math = renderMaths(text, false)
    for (const element of math?.querySelectorAll('*') ?? []) {
      expect(['img', 'a', 'script', 'style', 'iframe']).not.toContain(element.localName)
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^on|^(?:xlink:)?href$|^src$|^id$/)
        expect(value).not.toMatch(/url|position|javascript|overlay/)
      }
    }
  })
})
