import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { createCompileCache } from './compile-cache.ts'

describe('createCompileCache', () => {
  it('compiles equal forms once, and others each', () => {
    const cache = createCompileCache()
    let made = 0
    const compile = () => ({ grammar: `root ::= "${++made}"` })
    const first = cache.get({ schema: { type: 'object' } }, compile)
    expect(cache.get({ schema: { type: 'object' } }, compile)).toBe(first)
    expect(cache.get({ schema: { type: 'array' } }, compile)).not.toBe(first)
    expect(made).toBe(2)
  })

  it('keeps refusals but no other failures', () => {
    const cache = createCompileCache()
    let tries = 0
    const refuse = () => {
      tries += 1
      throw new SvcError('invalid_request', 'refused')
    }
    for (let count = 0; count < 3; count += 1) expect(() => cache.get('a', refuse)).toThrow('refused')
    expect(tries).toBe(1)
    const fail = () => {
      throw new Error('failed')
    }
    expect(() => cache.get('b', fail)).toThrow('failed')
    expect(cache.get('b', () => ({ grammar: 'x' }))).toEqual({ grammar: 'x' })
  })

  it('forgets the least recently used: by number, and by size', () => {
    const cache = createCompileCache()
    const made: unknown[] = []
    const get = (form: unknown, grammar = 'x') =>
      cache.get(form, () => {
        made.push(form)
        return { grammar }
      })
    for (let form = 0; form < 256; form += 1) get(form)
    get(0)
    get('new')
    get(0)
    expect(made).toHaveLength(257)
    get(1)
    expect(made.at(-1)).toBe(1)
    const large = 'x'.repeat(5 * 1024 * 1024)
    get('large', large)
    get('larger', large)
    get('large', large)
    expect(made.slice(-3)).toEqual(['large', 'larger', 'large'])
  })
})
