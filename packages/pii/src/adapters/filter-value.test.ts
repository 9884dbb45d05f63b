import { describe, expect, it } from 'vitest'
import { filterValue } from './filter-value.ts'

const format = 'json'
const filter = async (value: unknown, keepsLeaves = true) => (await filterValue(value, { format, keepsLeaves })).value

describe('a value of a program', () => {
  it('is filtered as the JSON that it becomes', async () => {
    class Person {
      readonly email = 'ada@lab.example'
    }
    class Wrapped {
      toJSON = () => ({ ip: '10.1.2.3' })
    }
    expect(await filter({ one: new Person(), two: [new Wrapped()], none: undefined, zero: null })).toEqual({
      one: { email: '[REDACTED:pattern:EMAIL]' },
      two: [{ ip: '[REDACTED:pattern:IP_ADDRESS]' }],
      zero: null,
    })
    expect(await filter([Object('ada@lab.example'), Object(1)])).toEqual(['[REDACTED:pattern:EMAIL]', 1])
    expect(await filter('ada@lab.example')).toBe('[REDACTED:pattern:EMAIL]')
    expect(await filter(undefined)).toBeUndefined()
  })

  it('keeps bytes, dates and addresses, beside masked texts', async () => {
    const leaves = { bytes: new Uint8Array([1]), at: new Date(0), url: new URL('https://lab.example/') }
    const filtered = await filter({ leaves, to: 'ada@lab.example' })
    expect(filtered).toEqual({ leaves, to: '[REDACTED:pattern:EMAIL]' })
    await expect(filter({ leaves }, false)).rejects.toMatchObject({ code: 'pii_unclear_body' })
    await expect(filter({ 'ada@lab.example': leaves })).rejects.toMatchObject({ code: 'pii_unclear_body' })
  })

  it('is refused with a cycle, too deep, or with names that would be one', async () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    await expect(filter(cycle)).rejects.toMatchObject({ code: 'pii_unclear_body' })
    await expect(filter({ 'ada@lab.example': 1, 'bob@lab.example': 2 })).rejects.toMatchObject({ code: 'pii_blocked' })
  })
})
