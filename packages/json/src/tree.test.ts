import { describe, expect, it } from 'vitest'
import { parseJson } from './parse.ts'
import type { JsonNode } from './tree.ts'

const parse = (text: string): JsonNode => parseJson(new TextEncoder().encode(text)).root

describe('JsonNode', () => {
  it('knows its kind and half-open byte range', () => {
    const root = parse(' {"é": [1.5, true, false, null, "x", {}, []] } ')
    const shown = [root, ...(root.get('é')?.items() ?? [])].map(({ kind, start, end }) => [kind, start, end])
    expect(shown).toEqual([
      ['object', 1, 47],
      ['number', 9, 12],
      ['boolean', 14, 18],
      ['boolean', 20, 25],
      ['null', 27, 31],
      ['string', 33, 36],
      ['object', 38, 40],
      ['array', 42, 44],
    ])
  })

  it('counts members and items, duplicates included', () => {
    expect(parse('[1,[2,3],{"a":4}]').length).toBe(3)
    expect(parse('{"a":[1,2],"a":{"b":1}}').length).toBe(2)
    expect(parse('[]').length).toBe(0)
    expect(parse('"text"').length).toBe(0)
    expect(parse('7').length).toBe(0)
  })

  it('keeps the identity of a token in its index', () => {
    const root = parse('{"a":[1],"b":2}')
    expect(root.get('b')?.index).toBe(Array.from(root.entries())[1]?.value.index)
    expect(root.get('b')?.index).not.toBe(root.get('a')?.index)
  })

  it('counts objects, arrays and keys of the document', () => {
    const document = parseJson(new TextEncoder().encode('{"a":[1,2,{"b":"c"}],"a":null}'))
    expect(document.nodeCount).toBe(6)
  })
})

describe('names of members', () => {
  const readNames = (text: string): string[] => [...parse(text).entries()].map(({ name }) => name)

  it('are the decoded keys, after any other keys', () => {
    const keys = [
      'a',
      'model',
      'modem',
      '__proto__',
      '0',
      '',
      'é',
      '日本',
      'a\u0000b',
      '"',
      '\\',
      'x'.repeat(46),
      'x'.repeat(200),
    ]
    const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1])))
    const escaped = text.replaceAll('m', '\\u006d')
    for (const body of [text, escaped, text, escaped]) {
      expect(readNames(body).sort()).toEqual([...keys].sort())
      expect([...parse(body).entries()].map(({ key }) => key.text())).toEqual(readNames(body))
    }
  })

  it('stay apart where thousands of keys share the places they are kept in', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `key_${index.toString(36)}`)
    const text = `{${keys.map((key) => `"${key}":1`).join(',')}}`
    expect(readNames(text)).toEqual(keys)
    expect(readNames(text)).toEqual(keys)
  })
})

describe('get', () => {
  it('finds a value behind nested ones', () => {
    const root = parse('{"a":{"b":[{"c":1},2]},"model":"demo","z":0}')
    expect(root.get('model')?.text()).toBe('demo')
    expect(root.get('b')).toBeUndefined()
    expect(root.get('')).toBeUndefined()
  })

  it('takes the last of duplicates, getAll every one', () => {
    const root = parse('{"a":1,"b":2,"a":3,"\\u0061":4}')
    expect(root.get('a')?.number()).toBe(4)
    expect(root.getAll('a').map((node) => node.number())).toEqual([1, 3, 4])
    expect(root.getAll('c')).toEqual([])
  })

  it('compares decoded keys', () => {
    const root = parse('{"caf\\u00e9":1,"漢":2,"a\\/b":3,"\\ud800":4,"":5}')
    expect(root.get('café')?.number()).toBe(1)
    expect(root.get('漢')?.number()).toBe(2)
    expect(root.get('a/b')?.number()).toBe(3)
    expect(root.get('\ud800')?.number()).toBe(4)
    expect(root.get('\udbff')).toBeUndefined()
    expect(root.get('')?.number()).toBe(5)
  })

  it('does not take a key of the same length or a prefix for the key', () => {
    const root = parse('{"abd":1,"ab":2,"abcd":3}')
    expect(root.get('abc')).toBeUndefined()
  })

  it('finds hostile keys as data and inherits nothing', () => {
    expect(parse('{"__proto__":7}').get('__proto__')?.number()).toBe(7)
    expect(parse('{}').get('constructor')).toBeUndefined()
  })

  it('finds nothing on anything but an object', () => {
    for (const text of ['["a"]', '"a"', '1', 'null', 'true']) {
      const node = parse(text)
      expect([node.get('a'), node.getAll('a'), [...node.entries()]]).toEqual([undefined, [], []])
    }
  })
})

describe('entries and items', () => {
  it('give members in source order with duplicates', () => {
    const members = Array.from(parse('{"b":1,"a":[2],"b":{"x":3}}').entries())
    expect(members.map(({ key, value }) => [key.text(), value.rawText()])).toEqual([
      ['b', '1'],
      ['a', '[2]'],
      ['b', '{"x":3}'],
    ])
  })

  it('give items in order, and none on anything but an array', () => {
    expect(Array.from(parse('[1,[2,3],{"a":[4]},"x"]').items(), (node) => node.rawText())).toEqual([
      '1',
      '[2,3]',
      '{"a":[4]}',
      '"x"',
    ])
    expect([...parse('{"a":1}').items(), ...parse('"abc"').items(), ...parse('[]').items()]).toEqual([])
  })
})

describe('text', () => {
  it.each([
    ['""', ''],
    ['"plain"', 'plain'],
    ['"exactly eleven"', 'exactly eleven'],
    ['"é漢😀"', 'é漢😀'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"', '"\\/\b\f\n\r\té'],
    ['"\\ud83d\\ude00é"', '😀é'],
    ['"\ufeffmark"', '\ufeffmark'],
    ['"\\u0000"', '\u0000'],
    ['"\u007f"', '\u007f'],
  ])('decodes %s', (token, text) => {
    expect(parse(token).text()).toBe(text)
    expect(parse(token).hasLoneSurrogate).toBe(false)
  })

  it.each([
    ['"\\ud800"', '\ud800'],
    ['"\\udc00\\ud800"', '\udc00\ud800'],
    ['"a\\ud800\\u0041"', 'a\ud800A'],
    ['"\\ud800\\ud800\\udc00"', '\ud800\ud800\udc00'],
    ['"\\uD83D\\n\\uDE00"', '\ud83d\n\ude00'],
    ['"\\ud800😀"', '\ud800😀'],
  ])('keeps the lone surrogate of %s and says so', (token, text) => {
    expect(parse(token).text()).toBe(text)
    expect(parse(token).hasLoneSurrogate).toBe(true)
  })

  it('is no business of other kinds', () => {
    expect(() => parse('7').text()).toThrow(expect.objectContaining({ kind: 'internal', code: 'json_kind' }))
    expect(() => parse('"7"').number()).toThrow(expect.objectContaining({ kind: 'internal', code: 'json_kind' }))
    expect(parse('[1]').hasLoneSurrogate).toBe(false)
  })
})

describe('raw', () => {
  it('is a view of the bytes as they came', () => {
    const bytes = new TextEncoder().encode('[ "\\u0041é" ,1.50]')
    const [text, number] = parseJson(bytes).root.items()
    expect(text?.rawText()).toBe('"\\u0041é"')
    expect(text?.raw().buffer).toBe(bytes.buffer)
    expect(text?.raw().byteOffset).toBe(2)
    expect(number?.rawText()).toBe('1.50')
    expect(number?.number()).toBe(1.5)
  })
})
