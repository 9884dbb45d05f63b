import { describe, expect, it } from 'vitest'
import { readPayload, toNeighbors, writePayload } from './payload.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const ONE = { id: 'a', labels: ['code'] }
const OTHER = { id: 'b', labels: ['chat', 'math'] }

describe('the entries of a vector', () => {
  it.each([[[ONE]], [[ONE, OTHER]], [[{ id: '', labels: [] }]]])('%j are read as they were written', (entries) => {
    expect(readPayload(writePayload(entries))).toEqual(entries)
  })

  it('may be one without a list', () => {
    expect(readPayload(encode(JSON.stringify(ONE)))).toEqual([ONE])
  })

  it.each<[string, Uint8Array]>([
    ['no bytes', encode('')],
    ['text that is not JSON', encode('[{')],
    [
      'bytes that are no UTF-8',
      Buffer.from([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x2c, ...encode('"labels":[]}')]),
    ],
    ['an empty list', encode('[]')],
    ['null', encode('null')],
    ['a number', encode('7')],
    ['a list in a list', encode('[[]]')],
    ['an entry without an id', encode('{"labels":[]}')],
    ['an id that is a number', encode('{"id":1,"labels":[]}')],
    ['an entry without labels', encode('{"id":"a"}')],
    ['labels that are a text', encode('{"id":"a","labels":"code"}')],
    ['a label that is a number', encode('{"id":"a","labels":["code",1]}')],
    ['a label that comes again', encode('{"id":"a","labels":["code","code"]}')],
    ['one wrong entry of two', encode(JSON.stringify([ONE, { id: 'b' }]))],
  ])('are not in %s', (_name, bytes) => {
    expect(readPayload(bytes)).toBeUndefined()
    expect(toNeighbors([{ key: new Float32Array(1), similarity: 0.5, value: bytes }], 5)).toEqual([{ similarity: 0.5 }])
  })

  it('are neighbours one by one, in order and at most as many as wanted', () => {
    const key = new Float32Array(1)
    const found = [
      { key, similarity: 0.9, value: writePayload([ONE, OTHER]) },
      { key, similarity: 0.8, value: writePayload([ONE]) },
    ]
    const all = [
      { ...ONE, similarity: 0.9 },
      { ...OTHER, similarity: 0.9 },
      { ...ONE, similarity: 0.8 },
    ]
    for (const count of [0, 1, 2, 3, 4]) expect(toNeighbors(found, count)).toEqual(all.slice(0, count))
  })
})
