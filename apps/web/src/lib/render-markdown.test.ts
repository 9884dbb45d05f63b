// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './render-markdown.ts'

describe('markdown', () => {
  it('becomes headings, code and links', () => {
    const html = renderMarkdown('# Chat\n\n`x` [docs](https://site.example/a)\n\n```sh\ncurl\n```')
    expect(html).toContain('<h1>Chat</h1>')
    expect(html).toContain('<code>x</code>')
    expect(html).toContain('href="https://site.example/a"')
    expect(html).toContain('rel="noopener noreferrer"')
    expect(html).toContain('<pre tabindex="0">')
  })
  it.each([
    '<script>alert(1)</script>',
    '<img src="https://site.example/p.png" onerror="alert(1)">',
    '![p](https://site.example/p.png)',
    '[x](javascript:alert(1))',
    '<a href="/app" style="position:fixed" onclick="alert(1)">x</a>',
    '<form action="https://site.example"><input name="a"></form>',
    '<iframe src="https://site.example"></iframe>',
  ])('loses what could act: %s', (text) => {
    const html = renderMarkdown(text)
    expect(html).not.toMatch(/<(script|img|form|input|iframe)|onerror|onclick|javascript:|style=|href=/)
  })
})
