import { describe, expect, it } from 'vitest'
import { selectRange } from './byte-range.ts'

const ask = (range: string | undefined, { method = 'GET', condition }: { method?: string; condition?: string } = {}) =>
  selectRange({ route: { method }, header: (name) => (name === 'range' ? range : condition) }, 100)

describe('selectRange', () => {
  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=90-', 90, 100],
    ['bytes=90-1000', 90, 100],
    ['bytes=-10', 90, 100],
    ['bytes=-1000', 0, 100],
    ['bytes=99-99', 99, 100],
    ['Bytes= 0-0 ', 0, 1],
  ])('reads %s', (range, start, end) => {
    expect(ask(range)).toEqual({ start, end })
  })

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('finds nothing in %s', (range) => {
    expect(ask(range)).toBe('unsatisfiable')
  })

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'items=0-1', 'bytes=a-b', 'bytes=1'])(
    'ignores %s',
    (range) => {
      expect(ask(range)).toBeUndefined()
    },
  )

  it('ignores a range of another method, and one under a condition', () => {
    expect(ask('bytes=0-9', { method: 'POST' })).toBeUndefined()
    expect(ask('bytes=0-9', { condition: '"x"' })).toBeUndefined()
  })
})
