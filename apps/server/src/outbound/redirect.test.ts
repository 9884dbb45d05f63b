import { describe, expect, it } from 'vitest'
import { staysWithin } from './redirect.ts'

describe('staysWithin', () => {
  it.each([
    ['http://a.internal/x', 'http://a.internal/y?z', true],
    ['http://a.internal:5000/', 'http://a.internal:5000/v2/', true],
    ['http://a.internal/', 'http://a.internal:80/', true],
    ['http://a.internal/', 'https://a.internal/', true],
    ['https://a.internal/', 'http://a.internal/', false],
    ['http://a.internal/', 'http://a.internal:6379/', false],
    ['http://a.internal:5000/', 'https://a.internal/', false],
    ['http://a.internal:5000/', 'https://a.internal:5000/', false],
    ['http://a.internal/', 'http://b.internal/', false],
    ['http://a.internal/', 'http://x.a.internal/', false],
  ])('%s to %s: %s', (from, to, expected) => {
    expect(staysWithin(new URL(from), new URL(to))).toBe(expected)
  })
})
