import { describe, expect, it } from 'vitest'
import { splitInstruction, translateInstruction } from './instruction-texts.ts'

const PAGE = '# Models\n\nA list.\n\n```sh\ncurl x\n\ncurl y\n```\n\n- one\n- two\n'

describe('a page of instructions', () => {
  it('is parted into texts and code', () => {
    expect(splitInstruction(PAGE)).toEqual([
      { kind: 'text', text: '# Models' },
      { kind: 'text', text: 'A list.' },
      { kind: 'code', text: '```sh\ncurl x\n\ncurl y\n```' },
      { kind: 'text', text: '- one\n- two' },
    ])
  })
  it('keeps its code in another language', () => {
    const texts = ['# Modelle', 'Eine Liste.', '- eins\n- zwei']
    expect(translateInstruction(PAGE, (index) => texts[index])).toBe(
      '# Modelle\n\nEine Liste.\n\n```sh\ncurl x\n\ncurl y\n```\n\n- eins\n- zwei',
    )
  })
  it.each([
    ['fewer texts', ['# Modelle', 'Eine Liste.']],
    ['more texts', ['# Modelle', 'Eine Liste.', '- eins', 'mehr']],
    ['no text', []],
  ])('stays as the server wrote it with %s', (_, texts) => {
    expect(translateInstruction(PAGE, (index) => texts[index])).toBe(PAGE)
  })
  it.each(['', '\n\n', '```\nunclosed', 'text\n```sh\na\n```\ntext'])('of any form is whole: %j', (page) => {
    const parts = splitInstruction(page)
    expect(
      parts
        .map(({ text }) => text)
        .join('')
        .replace(/\s/g, ''),
    ).toBe(page.replace(/\s/g, ''))
  })
})
