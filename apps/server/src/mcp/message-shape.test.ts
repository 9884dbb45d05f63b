import { describe, expect, it } from 'vitest'
import { createEventShape, createMessageShape, type MessageShape } from './message-shape.ts'

/** Whether a text passes in pieces of each size. */
function admits(create: () => MessageShape, text: string): readonly boolean[] {
  const bytes = Buffer.from(text)
  return [1, 3, 4096].map((size) => {
    const shape = create()
    for (let at = 0; at < bytes.length; at += size) if (!shape.admit(bytes.subarray(at, at + size))) return false
    return true
  })
}

const ALL = [true, true, true]
const NONE = [false, false, false]
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('the JSON of a message', () => {
  it.each([
    ['128 levels', nested(128)],
    ['braces in a text', JSON.stringify({ text: `"\\${'[{'.repeat(1000)}` })],
    ['many commas in a text', JSON.stringify(','.repeat(200_000))],
    ['many short lists', `[${'[],'.repeat(10_000)}1]`],
  ])('with %s passes', (_, text) => {
    expect(admits(createMessageShape, text)).toEqual(ALL)
  })

  it.each([
    ['129 levels', nested(129)],
    ['129 levels behind a text', `{"a":"\\\\","b":${nested(128)}}`],
    ['200,000 values', `[${'1,'.repeat(200_000)}1]`],
  ])('with %s does not', (_, text) => {
    expect(admits(createMessageShape, text)).toEqual(NONE)
  })
})

describe('the JSON of events', () => {
  it.each([
    ['events of 128 levels', `data: ${nested(128)}\n\n`.repeat(3)],
    ['events with CR LF', `data:${nested(128)}\r\n\r\n`.repeat(3)],
    ['events with CR', `data:${nested(128)}\r\r`.repeat(3)],
    ['other lines', `event: ${'['.repeat(500)}\n: ${'{'.repeat(500)}\ndata: 1\n\n`],
    ['many small events', 'data: {"a":1}\n\n'.repeat(50_000)],
  ])('passes with %s', (_, text) => {
    expect(admits(createEventShape, text)).toEqual(ALL)
  })

  it.each([
    ['129 levels', `data: ${nested(129)}\n\n`],
    ['levels over several lines', `data: ${'['.repeat(100)}\ndata: ${'['.repeat(100)}\n\n`],
    ['levels over lines with CR LF', `data: ${'['.repeat(100)}\r\ndata: ${'['.repeat(100)}\r\n\r\n`],
    ['a comment that looks like the end of a text', `: "\ndata: ${nested(129)}\n\n`],
    [
      'a comment that looks like the end of lists',
      `data: ${'['.repeat(100)}\n: ${']'.repeat(100)}\ndata: ${nested(100)}\n\n`,
    ],
    ['a byte order mark', `\ufeffdata: ${nested(129)}\n\n`],
  ])('does not with %s', (_, text) => {
    expect(admits(createEventShape, text)).toEqual(NONE)
  })
})
