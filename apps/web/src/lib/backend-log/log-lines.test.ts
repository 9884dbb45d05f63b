import { describe, expect, it } from 'vitest'
import { filterLines, findLine, LogBuffer, readMessage, type SentLine, writeLines } from './log-lines.ts'

const line = (second: number, text = `line ${second}`, stream: SentLine['stream'] = 'stdout'): SentLine => ({
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  stream,
  text,
})

const read = (buffer: LogBuffer) => buffer.read().map(({ text }) => text)

describe('LogBuffer', () => {
  it('keeps the newest lines alone', () => {
    const buffer = new LogBuffer(10)
    for (let second = 0; second < 59; second += 1) buffer.append([line(second)])
    expect(read(buffer)).toEqual(Array.from({ length: 10 }, (_, index) => `line ${49 + index}`))
    expect(buffer.read().at(-1)?.number).toBe(58)
  })

  it('adds of a whole answer only what follows', () => {
    const buffer = new LogBuffer()
    buffer.merge([line(1), line(2)])
    buffer.merge([line(1), line(2), line(3)])
    buffer.merge([line(2), line(3), line(4)])
    expect(read(buffer)).toEqual(['line 1', 'line 2', 'line 3', 'line 4'])
  })

  it('tells the same line within one moment from a known one', () => {
    const buffer = new LogBuffer()
    buffer.merge([line(1), line(2, 'again')])
    buffer.merge([line(1), line(2, 'again'), line(2, 'again')])
    expect(read(buffer)).toEqual(['line 1', 'again', 'again'])
  })

  it('adds everything after a gap, and nothing of an answer that is older', () => {
    const buffer = new LogBuffer()
    buffer.merge([line(1)])
    buffer.merge([line(5), line(6)])
    expect(read(buffer)).toEqual(['line 1', 'line 5', 'line 6'])
    buffer.merge([])
    buffer.merge([line(1), line(5), line(6)])
    expect(read(buffer)).toHaveLength(3)
  })
})

describe('filterLines', () => {
  const buffer = new LogBuffer()
  buffer.append([line(1, 'Loaded'), line(2, 'error: full', 'stderr'), { ...line(3, ''), missed: 7 }])

  it('finds a text in any case and a stream; gaps stay', () => {
    expect(filterLines(buffer.read(), { q: 'ERROR' }).map(({ text }) => text)).toEqual(['error: full', ''])
    expect(filterLines(buffer.read(), { stream: 'stdout' }).map(({ text }) => text)).toEqual(['Loaded', ''])
    expect(filterLines(buffer.read(), {})).toHaveLength(3)
  })

  it('writes lines and gaps to a file', () => {
    expect(writeLines(buffer.read())).toBe(
      [
        '2026-01-01T00:00:01.000Z stdout Loaded',
        '2026-01-01T00:00:02.000Z stderr error: full',
        '2026-01-01T00:00:03.000Z (7 lines missing)',
        '',
      ].join('\n'),
    )
  })
})

it('finds a line by its number when older ones have gone', () => {
  const buffer = new LogBuffer(4)
  for (let second = 0; second < 12; second += 1) buffer.append([line(second)])
  const lines = buffer.read()
  expect(lines[0]?.number).toBe(8)
  expect(findLine(lines, 10)).toBe(2)
  expect(findLine(lines, 3)).toBe(0)
  expect(findLine(lines, 99)).toBe(4)
})

describe('readMessage', () => {
  it('reads the messages of the socket', () => {
    expect(readMessage(JSON.stringify({ type: 'initial', lines: [line(1), { text: 5 }] }))).toEqual({
      type: 'initial',
      lines: [line(1)],
    })
    expect(readMessage(JSON.stringify({ type: 'line', line: line(2) }))).toEqual({ type: 'line', line: line(2) })
    expect(readMessage('{"type":"missed","count":3}')).toEqual({ type: 'missed', count: 3 })
  })

  it('passes over what it does not know', () => {
    for (const text of ['', 'null', '[]', '{"type":"other"}', '{"type":"line","line":{}}', '{"type":"missed"}'])
      expect(readMessage(text)).toBeUndefined()
  })
})
