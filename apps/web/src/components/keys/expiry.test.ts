import { describe, expect, it } from 'vitest'
import { isExpired, readExpiry } from './expiry.ts'

describe('the end of a new key', () => {
  it('is left to the server by default', () => {
    expect(readExpiry('server', '2030-01-01')).toEqual({})
  })
  it('is a number of days', () => {
    expect(readExpiry('30d', '')).toEqual({ expiresIn: '30d' })
  })

  it('stays, or goes, in a change', () => {
    expect(readExpiry('keep', '2030-01-01')).toEqual({})
    expect(readExpiry('never', '2030-01-01')).toEqual({ expiresAt: null })
  })
  it('is the end of the chosen day in the local time zone', () => {
    const { expiresAt } = readExpiry('date', '2030-02-28')
    const end = new Date(expiresAt ?? '')
    expect([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours()]).toEqual([2030, 1, 28, 23])
  })
})

describe('a key', () => {
  it('is expired from its end on', () => {
    const now = Date.parse('2030-01-01T00:00:00Z')
    expect(isExpired({ expiresAt: '2030-01-01T00:00:00Z' }, now)).toBe(true)
    expect(isExpired({ expiresAt: '2030-01-01T00:00:01Z' }, now)).toBe(false)
    expect(isExpired({}, now)).toBe(false)
  })
})
