import { describe, expect, it } from 'vitest'
import { readYaml } from '../yaml/read-yaml.ts'
import {
  block,
  choice,
  type Field,
  findFieldMeta,
  flag,
  flagOrCount,
  fraction,
  freeMap,
  integer,
  integerIn,
  list,
  map,
  number,
  plainText,
  spelling,
  toCamelCase,
} from './fields.ts'
import { MODEL_KEYS, modelKeys } from './model-keys.ts'
import { type KeyNote, readField } from './read-field.ts'

/** Reads `key: <source>` by a field; complaints as `line: key: reason`. */
function read<T>(field: Field<T>, source: string): { value: T | undefined; problems: string[]; warnings: string[] } {
  const result = readYaml(`key: ${source}`)
  if (!result.ok) throw new Error(result.reason)
  const { value, problems, warnings } = readField(block({ key: field }), result.root)
  const format = (note: KeyNote): string => `${note.line}: ${note.key}: ${note.reason}`
  return { value: value?.key, problems: problems.map(format), warnings: warnings.map(format) }
}

describe('values that fit', () => {
  const fitting: readonly [Field<unknown>, string, unknown][] = [
    [plainText, 'plain', 'plain'],
    [plainText, '"quo\\nted"', 'quo\nted'],
    [plainText, '123', '123'],
    [plainText, '0x10', '0x10'],
    [plainText, 'yes', 'yes'],
    [plainText, '1.50', '1.50'],
    [plainText, '2026-01-01', '2026-01-01'],
    [plainText, '""', ''],
    [plainText, '|-\n  a\n   b', 'a\n b'],
    [integer, '42', 42],
    [integer, '-7', -7],
    [integer, '+7', 7],
    [integer, '0x10', 16],
    [integer, '-0x10', -16],
    [integer, '0o17', 15],
    [integer, '0b101', 5],
    [integer, '017', 15],
    [integer, '1_000', 1000],
    [integer, '4096.0', 4096],
    [integer, '1e3', 1000],
    [integer, '2147483647', 2147483647],
    [integer, '-2147483648', -2147483648],
    [number, '.7', 0.7],
    [number, '1e-5', 1e-5],
    [number, '3', 3],
    [number, '-0.25', -0.25],
    [number, '7.', 7],
    [fraction, '0', 0],
    [fraction, '1', 1],
    [choice('a', 'b'), 'b', 'b'],
    [choice('a', 'b'), '""', undefined],
    [spelling({ x: 'long', y: 'long' }), 'y', 'long'],
    [flagOrCount, '3', true],
    [flagOrCount, '0', false],
    [flagOrCount, 'on', true],
    [list(plainText), '[a, 1, yes]', ['a', '1', 'yes']],
    [list(plainText), '[]', []],
    [list(plainText), '[a, ~, b]', ['a', 'b']],
    [list(integer), '[1, 0x2]', [1, 2]],
    [map(number), '{1: 0.5, b: -3}', { 1: 0.5, b: -3 }],
    [map(flag), '{a: yes, b: ~}', { a: true }],
    [freeMap, '{a: [1, {b: "2"}], c: true, d: no}', { a: [1, { b: '2' }], c: true, d: 'no' }],
    [block({ top_k: integer, min_p: number }), '{top_k: 3}', { topK: 3 }],
  ]
  // A field as an argument of its own would be printed in the title, all of its schema.
  it.each(fitting.map(([field, source, expected]) => ({ field, source, expected })))(
    'reads $source',
    ({ field, source, expected }) => {
      expect(read(field, source)).toEqual({ value: expected, problems: [], warnings: [] })
    },
  )

  it.each(['true', 'True', 'TRUE', 'y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'])('takes %s for true', (word) => {
    for (const source of [word, `"${word}"`, `'${word}'`]) expect(read(flag, source).value).toBe(true)
  })

  it.each(['false', 'False', 'FALSE', 'n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'])(
    'takes %s for false',
    (word) => {
      for (const source of [word, `"${word}"`, `'${word}'`]) expect(read(flag, source).value).toBe(false)
    },
  )

  const fields: readonly Field[] = [
    plainText,
    integer,
    number,
    flag,
    list(plainText),
    freeMap,
    map(plainText),
    choice('a'),
    block({ a: plainText }),
  ]
  it.each(fields.map((field) => ({ field, expected: findFieldMeta(field)?.expected })))(
    'takes null for absent: $expected',
    ({ field }) => {
      for (const source of ['~', 'null', 'Null', 'NULL', '']) {
        expect(read(field, source)).toEqual({ value: undefined, problems: [], warnings: [] })
      }
    },
  )
})

describe('values that do not fit', () => {
  const misfits: readonly [Field<unknown>, string, string][] = [
    [plainText, '[a]', '1: key: expected text, found a list'],
    [plainText, '{a: b}', '1: key: expected text, found a map'],
    [integer, 'plenty', '1: key: expected a whole number, found text'],
    [integer, '"42"', '1: key: expected a whole number, found text'],
    [integer, '1.5', '1: key: expected a whole number, found text'],
    [integer, '2147483648', '1: key: must be between -2147483648 and 2147483647'],
    [integer, '.inf', '1: key: expected a whole number, found text'],
    [integer, `1${'0'.repeat(100)}`, '1: key: expected a whole number, found text'],
    [integerIn({ min: 0, max: 3 }), '4', '1: key: must be between 0 and 3'],
    [number, 'much', '1: key: expected a number, found text'],
    [number, '.nan', '1: key: must be finite'],
    [number, '-.inf', '1: key: must be finite'],
    [number, '1e999', '1: key: must be finite'],
    [fraction, '1.01', '1: key: must be between 0 and 1'],
    [flag, 'maybe', '1: key: expected a boolean, found text'],
    [flag, 'yEs', '1: key: expected a boolean, found text'],
    [flag, '1', '1: key: expected a boolean, found text'],
    [flagOrCount, '[1]', '1: key: expected a boolean, found a list'],
    [choice('a', 'b'), 'c', '1: key: must be one of a, b'],
    [choice('a', 'b'), '[a]', '1: key: expected one of a, b, found a list'],
    [spelling({ x: 'long' }), 'toString', '1: key: must be one of x'],
    [list(plainText), 'chat', '1: key: expected a list, found text'],
    [list(plainText), '\n  - a\n  - [b]', '3: key[1]: expected text, found a list'],
    [map(plainText), '[a]', '1: key: expected a map, found a list'],
    [map(number), '\n  a: 1\n  b: x', '3: key.b: expected a number, found text'],
    [freeMap, '{a: [.inf]}', '1: key: must be sayable in JSON: holds a number that is not finite'],
    [
      block({ a: block({ b: list(integer) }) }),
      '\n  a:\n    b: [1, x]',
      '3: key.a.b[1]: expected a whole number, found text',
    ],
  ]
  it.each(misfits.map(([field, source, problem]) => ({ field, source, problem })))(
    '$source: $problem',
    ({ field, source, problem }) => {
      expect(read(field, source).problems).toEqual([problem])
    },
  )

  it('reports every value of a block that does not fit', () => {
    expect(read(block({ a: integer, b: flag, c: plainText }), '{a: x, b: 7, c: ok}').problems).toHaveLength(2)
  })

  it('warns of unknown keys and of ones that are no longer read', () => {
    const field = block({ a: plainText }, { ignored: { old: 'is gone' } })
    expect(read(field, '{a: b, new: 1, old: 2, toString: 3}')).toEqual({
      value: { a: 'b' },
      problems: [],
      warnings: [
        '1: key.new: unknown key, kept but not used',
        '1: key.old: is gone',
        '1: key.toString: unknown key, kept but not used',
      ],
    })
  })
})

describe('the table of all keys', () => {
  interface Leaf {
    readonly path: string
    readonly field: Field<unknown>
    readonly wrap: (value: string) => string
  }

  /** Every key of the table with a way to write a file that holds just that key. */
  function leaves(field: Field<unknown>, path: string, wrap: (value: string) => string): Leaf[] {
    const { keys, item } = findFieldMeta(field) ?? {}
    const here = path === '' ? [] : [{ path, field, wrap }]
    const inner = keys === undefined ? [] : Object.entries(keys)
    const items =
      item === undefined
        ? []
        : leaves(item, inList(field) ? `${path}[0]` : `${path}.k`, (value) =>
            wrap(inList(field) ? `[${value}]` : `{k: ${value}}`),
          )
    return [
      ...here,
      ...items,
      ...inner.flatMap(([key, each]) =>
        leaves(each, path === '' ? key : `${path}.${key}`, (value) => wrap(`{${key}: ${value}}`)),
      ),
    ]
  }

  function inList(field: Field<unknown>): boolean {
    return /\ba list\b/.test(findFieldMeta(field)?.expected ?? '')
  }

  const all = leaves(modelKeys, '', (value) => value)

  it('has more than 300 keys, blocks counted', () => {
    expect(all.length).toBeGreaterThan(300)
    expect(Object.keys(MODEL_KEYS)).not.toContain('undefined')
  })

  it.each(all)('$path refuses what does not fit and takes null', ({ path, field, wrap }) => {
    const expectedForm = findFieldMeta(field)?.expected ?? ''
    const misfit = expectedForm === 'text' || expectedForm.startsWith('one of') ? '[[x]]' : 'misfit'
    for (const [value, expected] of [
      [misfit, [`1: key.${path}: `]],
      ['~', []],
    ] as const) {
      const { problems, warnings } = read(modelKeys, wrap(value))
      expect(problems.map((each) => each.slice(0, each.indexOf(': ', each.indexOf(path)) + 2))).toEqual(expected)
      expect(warnings).toEqual([])
    }
  })

  it('gives no two keys of a block one name', () => {
    for (const field of [modelKeys, ...all.map((leaf) => leaf.field)]) {
      const names = Object.keys(findFieldMeta(field)?.keys ?? {}).map(toCamelCase)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})
