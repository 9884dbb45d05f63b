import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseBody } from '../parse-body.ts'
import { toOpenApiSchemas } from '../registry.ts'
import { textOrTokens, tokenList, toTexts } from './token-input.ts'

it.each([
  ['a', ['a']],
  ['', ['']],
  [[], []],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [[1, 2], [[1, 2]]],
  [
    [[1], 'a', []],
    [[1], 'a', []],
  ],
])('%j is so many texts', (value, texts) => {
  expect(toTexts(value)).toEqual(texts)
})

describe('tokens', () => {
  const body = z.looseObject({ tokens: tokenList, input: textOrTokens.nullish() })
  const refused = (param: string) => expect.objectContaining({ kind: 'invalid_request', details: { param } })

  it.each([undefined, null, 'a', {}, 5])('are a list: not %j', (tokens) => {
    expect(() => parseBody(body, { tokens })).toThrow(refused('tokens'))
  })

  it.each([-1, 1.5, 2 ** 31, '1', null, [1]])('are whole numbers from 0 that fit 32 bits: not %j', (token) => {
    expect(() => parseBody(body, { tokens: [1, token] })).toThrow(refused('tokens[1]'))
    expect(() => parseBody(body, { tokens: [], input: [1, token] })).toThrow(refused('input[1]'))
  })

  it('may be left out, or null, where they are optional', () => {
    for (const input of [undefined, null]) expect(parseBody(body, { tokens: [], input })).toEqual({ tokens: [], input })
  })

  it('tell of the first fault alone, however many there are', () => {
    const many = Array.from({ length: 200_000 }, () => null)
    const result = textOrTokens.safeParse(many)
    expect(result.error?.issues).toHaveLength(1)
  })

  it('are described to readers of the OpenAPI document', () => {
    const integer = { type: 'integer', minimum: 0, maximum: 2_147_483_647 }
    const schemas = toOpenApiSchemas()
    expect(schemas).toHaveProperty('DetokenizeRequest.properties.tokens', { type: 'array', items: integer })
    expect(schemas).toHaveProperty('DetokenizeRequest.required', ['tokens'])
    expect(schemas).toHaveProperty('CompletionRequest.required', ['prompt'])
    expect(schemas).toHaveProperty('CompletionRequest.properties.prompt.anyOf', [
      { type: 'string' },
      { type: 'array', items: integer },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'array', items: integer }] } },
    ])
  })
})
