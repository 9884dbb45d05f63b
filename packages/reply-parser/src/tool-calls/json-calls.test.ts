import { describe, expect, it } from 'vitest'
import { type JsonShape, readArgumentText, readJsonCalls } from './json-calls.ts'

const shape: JsonShape = { nameKey: 'name', argumentsKey: 'arguments', idKey: '', functionKey: '', nameIsKey: false }
const plain = { wrapsText: false }

describe('readJsonCalls', () => {
  it('passes the text of arguments through', () => {
    const text = '{"b": 1.0, "a": 9007199254740993, "x": "\\u00e9", "x": 1e2}'
    expect(readJsonCalls(`{"arguments": ${text}, "name": "ask"}`, [shape], plain)).toEqual([
      { name: 'ask', arguments: text },
    ])
  })

  it('takes an array that holds only calls', () => {
    const call = '{"name":"ask","arguments":{}}'
    expect(readJsonCalls(`[${call}, ${call}]`, [shape], plain)).toHaveLength(2)
    for (const json of [`[${call}, {}]`, '[]', `[[${call}]]`, '{}', '5']) {
      expect(readJsonCalls(json, [shape], plain)).toBeUndefined()
    }
  })

  it('tries shapes in their order', () => {
    const other = { ...shape, nameKey: 'tool', argumentsKey: 'input' }
    const json = '{"tool":"a","input":1,"name":"b","arguments":2}'
    expect(readJsonCalls(json, [other, shape], plain)).toEqual([{ name: 'a', arguments: '1' }])
    expect(readJsonCalls(json, [shape, other], plain)).toEqual([{ name: 'b', arguments: '2' }])
  })

  it.each(['{"name":"","arguments":{}}', '{"name":5,"arguments":{}}', '{"name":"ask"}', '{"arguments":{}}'])(
    'finds no call in %s',
    (json) => {
      expect(readJsonCalls(json, [shape], plain)).toBeUndefined()
    },
  )
})

describe('readArgumentText', () => {
  it.each([
    ['{"a":1}', '{"a":1}', '{"a":1}'],
    ['', '{}', '{"query":""}'],
    [' ', '{}', '{"query":" "}'],
    ['[1]', '[1]', '{"query":"[1]"}'],
    ['how warm', 'how warm', '{"query":"how warm"}'],
    ['{"a":"b\nc"}', '{"a":"b\\nc"}', '{"a":"b\\nc"}'],
  ])('of %j is %j, wrapped %j', (text, kept, wrapped) => {
    expect(readArgumentText(text, plain)).toBe(kept)
    expect(readArgumentText(text, { wrapsText: true })).toBe(wrapped)
  })
})
