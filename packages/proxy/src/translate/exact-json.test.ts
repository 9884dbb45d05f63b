import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeExactJson, parseExactObject } from './exact-json.ts'

const written = (value: unknown) => new TextDecoder().decode(encodeExactJson(value))

it('writes an object as the text it came from', () => {
  const text = '{"z": 1.0,\n "a": 123456789012345678901234567890, "a": {"b":[1e400]}}'
  expect(written({ before: 1, input: parseExactObject(`  ${text}\n`), after: [2] })).toBe(
    `{"before":1,"input":${text},"after":[2]}`,
  )
})

it.each(['[1]', '1', 'null', '"a"', '', '{', '{} {}'])('has no object for %j', (text) => {
  expect(parseExactObject(text)).toBeUndefined()
})

it('has the members that any parser reads', () => {
  expect(parseExactObject('{"a":1,"__proto__":{"b":2}}')).toEqual(JSON.parse('{"a":1,"__proto__":{"b":2}}'))
})

it('writes the same value as JSON.stringify, for any texts in it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (value, object) => {
      const exact = parseExactObject(JSON.stringify(object))
      expect(JSON.parse(written([value, exact, exact]))).toEqual(JSON.parse(JSON.stringify([value, object, object])))
    }),
  )
})
