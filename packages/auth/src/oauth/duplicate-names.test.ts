import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hasDuplicateNames } from './duplicate-names.ts'

it.each([
  ['{}', false],
  ['{"a":1,"b":2}', false],
  ['{"a":1,"a":2}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['{"a":{"b":1},"b":2}', false],
  ['{"a":[{"b":1},{"b":2}]}', false],
  ['{"a":"\\"a\\":1","b":"{"}', false],
  ['{"a" : 1 , "a"\n: 2}', true],
  ['[{"a":1},{"a":2}]', false],
  ['{"a":"b","b":"a"}', false],
])('%s: %j', (json, wanted) => {
  expect(hasDuplicateNames(json)).toBe(wanted)
})

it('never sees one in what JSON.stringify writes, and always one that is put in', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const json = JSON.stringify(value)
      const [name = ''] = Object.keys(value)
      return !hasDuplicateNames(json) && hasDuplicateNames(`{${JSON.stringify(name)}:0,${json.slice(1)}`)
    }),
  )
})
