import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './parse.ts'
import { type JsonPath, walkStrings } from './walk-strings.ts'

type Seen = [role: 'key' | 'value', text: string, path: JsonPath]

const parse = (text: string) => parseJson(new TextEncoder().encode(text)).root

function walk(text: string): Seen[] {
  return Array.from(walkStrings(parse(text)), (leaf) => [leaf.role, leaf.node.text(), leaf.path()])
}

/** The same list by plain recursion over the parsed value. */
function expectedLeaves(value: unknown, path: JsonPath): Seen[] {
  if (typeof value === 'string') return [['value', value, path]]
  if (Array.isArray(value)) return value.flatMap((item, index) => expectedLeaves(item, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]): Seen[] => [
    ['key', key, [...path, key]],
    ...expectedLeaves(member, [...path, key]),
  ])
}

describe('walkStrings', () => {
  it('gives keys and values apart, in source order, with their paths', () => {
    expect(walk('{"a":["x",1,{"b":"y"},[],"z"],"c":{},"d":"w"}')).toEqual([
      ['key', 'a', ['a']],
      ['value', 'x', ['a', 0]],
      ['key', 'b', ['a', 2, 'b']],
      ['value', 'y', ['a', 2, 'b']],
      ['value', 'z', ['a', 4]],
      ['key', 'c', ['c']],
      ['key', 'd', ['d']],
      ['value', 'w', ['d']],
    ])
  })

  it('gives every duplicate and hostile key', () => {
    expect(walk('{"a":"1","a":"2","__proto__":{"a":"3"}}').map(([role, text]) => `${role} ${text}`)).toEqual([
      'key a',
      'value 1',
      'key a',
      'value 2',
      'key __proto__',
      'key a',
      'value 3',
    ])
  })

  it('agrees with a walk over the parsed value', () => {
    const names = fc.string().filter((name) => !/^\d+$/.test(name) && name !== '__proto__')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (document, indent) => {
        const text = JSON.stringify(document, undefined, indent)
        expect(walk(text)).toEqual(expectedLeaves(JSON.parse(text), []))
      }),
    )
  })

  it('starts paths at the node it was given and stays inside it', () => {
    const node = parse('{"a":{"b":["c"]},"d":"e"}').get('a')
    const seen = node === undefined ? [] : Array.from(walkStrings(node), (leaf) => [leaf.node.text(), leaf.path()])
    expect(seen).toEqual([
      ['b', ['b']],
      ['c', ['b', 0]],
    ])
  })

  it('takes a string or another scalar as the whole document', () => {
    expect(walk('"only"')).toEqual([['value', 'only', []]])
    expect(walk('7')).toEqual([])
    expect(walk('[]')).toEqual([])
  })

  it('gives the path of a leaf after the walk has gone on', () => {
    const leaves = Array.from(walkStrings(parse('[["a"],{"k":["b"]}]')))
    expect(leaves.map((leaf) => leaf.path())).toEqual([
      [0, 0],
      [1, 'k'],
      [1, 'k', 0],
    ])
  })
})
