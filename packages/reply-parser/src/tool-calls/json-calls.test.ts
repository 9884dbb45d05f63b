import { describe, expect, it } from 'vitest'
import { type JsonShape, readArgumentText, readJsonCalls } from './json-calls.ts'

const shape: JsonShape = { nameKey: 'name', argumentsKey: 'arguments', idKey: '', functionKey: '', nameIsKey: false }
const plain = { wrapsText: false }

function callsOf(json: string, shapes: readonly JsonShape[] = [shape]): readonly unknown[] {
  return readJsonCalls(json, shapes, plain).map(({ call }) => call)
}

describe('readJsonCalls', () => {
  it('passes the text of arguments through', () => {
    const text = '{"b": 1.0, "a": 9007199254740993, "x": "\\u00e9", "x": 1e2}'
    expect(callsOf(`{"arguments": ${text}, "name": "ask"}`)).toEqual([{ name: 'ask', arguments: text }])
  })

  it('reads each item of an array, with its text', () => {
    const source = '{"name":"ask","arguments":{}}'
    const call = { name: 'ask', arguments: '{}' }
    expect(readJsonCalls(`[${source}, {"x": 1},${source}]`, [shape], plain)).toEqual([
      { call, source },
      { call: undefined, source: '{"x": 1}' },
      { call, source },
    ])
    expect(callsOf('[]')).toEqual([])
    for (const json of [`[[${source}]]`, '{}', '5']) expect(callsOf(json)).toEqual([undefined])
  })

  it('tries shapes in their order', () => {
    const other = { ...shape, nameKey: 'tool', argumentsKey: 'input' }
    const json = '{"tool":"a","input":1,"name":"b","arguments":2}'
    expect(callsOf(json, [other, shape])).toEqual([{ name: 'a', arguments: '1' }])
    expect(callsOf(json, [shape, other])).toEqual([{ name: 'b', arguments: '2' }])
  })

  it.each(['{"name":"","arguments":{}}', '{"name":5,"arguments":{}}', '{"name":"ask"}', '{"arguments":{}}'])(
    'finds no call in %s',
    (json) => {
      expect(callsOf(json)).toEqual([undefined])
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
