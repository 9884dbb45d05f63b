import { describe, expect, it } from 'vitest'
import { MAX_CALL_LENGTH } from './limits.ts'
import { lookingAt, peek, type Reading, readLiteral, readUntil, skipGap, TextCursor } from './text-cursor.ts'

/** Runs a reading over text that comes in pieces; returns its result and the number of pieces it needed. */
function run<Result>(read: (cursor: TextCursor) => Reading<Result>, pieces: readonly string[], isOver = true) {
  const cursor = new TextCursor()
  const reading = read(cursor)
  let step = reading.next()
  let used = 0
  for (const piece of pieces) {
    if (step.done === true) break
    cursor.feed(piece)
    used++
    step = reading.next()
  }
  if (step.done !== true && isOver) {
    cursor.finish()
    step = reading.next()
  }
  return { result: step.done === true ? step.value : undefined, isDone: step.done === true, used, cursor }
}

describe('TextCursor', () => {
  it('remembers the text since the mark, over pieces', () => {
    const cursor = new TextCursor()
    cursor.feed('abc')
    cursor.at = 1
    cursor.mark()
    cursor.at = 3
    cursor.feed('de')
    cursor.at = 1
    expect([cursor.read, cursor.offset, cursor.text.slice(cursor.at)]).toEqual(['bcd', 3, 'e'])
    cursor.mark()
    expect([cursor.read, cursor.offset]).toEqual(['', 0])
  })

  it('ends where a call may not go on, without being done', () => {
    const cursor = new TextCursor()
    cursor.feed('x'.repeat(10))
    cursor.at = 10
    cursor.feed('x'.repeat(MAX_CALL_LENGTH))
    expect([cursor.end, cursor.isFinal, cursor.isDone]).toEqual([MAX_CALL_LENGTH - 10, true, false])
    cursor.mark()
    expect(cursor.end).toBe(MAX_CALL_LENGTH)
  })
})

describe('readings', () => {
  it('peek at the next unit, or the end', () => {
    expect(run(peek, ['', 'a']).result).toBe(0x61)
    expect(run(peek, ['']).result).toBe(-1)
  })

  it('skip blanks up to the first other unit', () => {
    const { cursor, isDone } = run(skipGap, [' \n', '\t', ' a'])
    expect([isDone, cursor.read, cursor.at]).toEqual([true, ' \n\t ', 1])
  })

  it('look for literals no longer than needed', () => {
    const look = (cursor: TextCursor) => lookingAt(cursor, ['<ab>', '<c>'])
    expect(run(look, ['<', 'x', 'y'])).toMatchObject({ result: -1, used: 2 })
    expect(run(look, ['<', 'c>', 'y'])).toMatchObject({ result: 1, used: 2 })
    expect(run(look, ['<a'], false)).toMatchObject({ isDone: false })
    expect(run(look, ['<a'])).toMatchObject({ result: -1 })
  })

  it('read a literal only when it comes next', () => {
    const found = run((cursor) => readLiteral(cursor, ['ab']), ['a', 'bc'])
    expect([found.result, found.cursor.read]).toEqual([0, 'ab'])
    const other = run((cursor) => readLiteral(cursor, ['ab']), ['a', 'c'])
    expect([other.result, other.cursor.read]).toEqual([-1, ''])
  })

  it('read up to a literal, and say where it began', () => {
    const found = run((cursor) => readUntil(cursor, ['</a>', '</b>']), ['x<', '/<', '/b', '>y'])
    expect([found.result, found.cursor.read]).toEqual([3, 'x</</b>'])
    expect(run((cursor) => readUntil(cursor, ['</a>']), ['x</a']).result).toBeUndefined()
  })
})
