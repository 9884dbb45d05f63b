import { describe, expect, it } from 'vitest'
import { readLabelledLine } from './labelled-line.ts'

const line = (text: unknown, ...spans: unknown[]) => JSON.stringify({ text, spans })
const span = (start: unknown, end: unknown, group: unknown = 'NAME') => ({ start, end, group })

describe('a labelled line', () => {
  it.each([
    ['utf16', 4, 6],
    ['codepoint', 3, 5],
    ['utf8', 7, 9],
  ] as const)('counts in %s', (offsets, start, end) => {
    expect(readLabelledLine(line('ä😀 Bo', span(start, end)), offsets)).toEqual({
      ok: true,
      value: { text: 'ä😀 Bo', labels: [{ start: 4, end: 6, group: 'NAME' }] },
    })
  })

  it.each<[string, string]>([
    ['', 'no JSON object'],
    ['{', 'no JSON object'],
    ['null', 'no JSON object'],
    ['[]', 'no JSON object'],
    ['"text"', 'no JSON object'],
    ['{"spans":[]}', 'text is missing or no text'],
    [line(7), 'text is missing or no text'],
    ['{"text":"\\ud83d","spans":[]}', 'text holds half of a character'],
    ['{"text":"x"}', 'spans is missing or no list'],
    ['{"text":"x","spans":{}}', 'spans is missing or no list'],
    [line('Bo', null), 'spans[0]: no object'],
    [line('Bo', 7), 'spans[0]: no object'],
    [line('Bo', span(0, 1), span(0, 1, '')), 'spans[1]: group is missing'],
    [line('Bo', span(0, 1, 7)), 'spans[0]: group is missing'],
    [line('Bo', span(-1, 1)), 'spans[0]: start and end must be whole numbers from 0'],
    [line('Bo', span(0, 1.5)), 'spans[0]: start and end must be whole numbers from 0'],
    [line('Bo', span('0', 1)), 'spans[0]: start and end must be whole numbers from 0'],
    [line('Bo', span(0, undefined)), 'spans[0]: start and end must be whole numbers from 0'],
    [line('Bo', span(1, 1)), 'spans[0]: 1 to 1 is out of range, the text has 2'],
    [line('Bo', span(2, 1)), 'spans[0]: 2 to 1 is out of range, the text has 2'],
    [line('Bo', span(0, 3)), 'spans[0]: 0 to 3 is out of range, the text has 2'],
    [line('😀', span(0, 1)), 'spans[0]: 0 to 1 cuts a character'],
  ])('%j is refused: %s', (text, reason) => {
    expect(readLabelledLine(text, 'utf16')).toEqual({ ok: false, reason })
  })

  it('is read to its last character, and has an end', () => {
    expect(readLabelledLine(line('Bo', span(0, 2)), 'utf16')).toMatchObject({ ok: true })
    const text = line('')
    expect(readLabelledLine(text.padEnd(4_194_304), 'utf16').ok).toBe(true)
    expect(readLabelledLine(text.padEnd(4_194_305), 'utf16')).toEqual({
      ok: false,
      reason: 'longer than 4194304 characters',
    })
  })
})
