import { describe, expect, it } from 'vitest'
import { FAKE_KINDS } from './fake-names.ts'
import { createFakeWriter, FAKE_LISTS } from './fakes.ts'

describe.each(FAKE_KINDS)('invented values of the kind %s', (kind) => {
  const { size, at } = FAKE_LISTS[kind]
  const all = Array.from({ length: size }, (_, index) => at(index)).sort()

  it('are many, each once, in ASCII without marks that JSON escapes', () => {
    expect(size).toBeGreaterThan(400)
    expect(new Set(all).size).toBe(size)
    expect(all.every((value) => /^[A-Za-z0-9@+. ]+$/.test(value))).toBe(true)
  })

  it('do not begin one another', () => {
    // Sorted, a value follows its own beginning at once.
    expect(all.filter((value, index) => all[index + 1]?.startsWith(value))).toEqual([])
  })

  it('are equal for equal values, others under another key, and next to one another in further attempts', () => {
    const values = Array.from({ length: 40 }, (_, index) => `value ${index}`)
    const write = createFakeWriter(kind, 'one key')
    const again = createFakeWriter(kind, 'one key')
    const other = createFakeWriter(kind, 'other key')
    expect(values.map((value) => write(value, 0))).toEqual(values.map((value) => again(value, 0)))
    expect(values.filter((value) => write(value, 0) !== other(value, 0)).length).toBeGreaterThan(30)
    expect(new Set(Array.from({ length: size }, (_, attempt) => write('Ada', attempt))).size).toBe(size)
  })
})
