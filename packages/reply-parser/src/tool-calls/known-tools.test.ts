import { describe, expect, it } from 'vitest'
import { isTextParameter, toKnownTools } from './known-tools.ts'

describe('toKnownTools', () => {
  it('reads function tools and leaves out other entries', () => {
    const parameters = { type: 'object' }
    const tools = [{ type: 'function', function: { name: 'ask', parameters } }, { function: { name: 5 } }, null, 'x']
    expect(toKnownTools(tools)).toEqual([{ name: 'ask', parameters }])
  })
})

describe('isTextParameter', () => {
  it('goes by the declared type alone', () => {
    const properties = { text: { type: 'string' }, count: { type: 'integer' }, any: {}, both: { type: ['string'] } }
    const tool = { name: 'ask', parameters: { properties } }
    const isText = ['text', 'count', 'any', 'both', 'toString'].map((key) => isTextParameter(tool, key))
    expect(isText).toEqual([true, false, false, false, false])
    expect(isTextParameter(undefined, 'text')).toBe(false)
    expect(isTextParameter({ name: 'ask', parameters: 'x' }, 'text')).toBe(false)
  })
})
