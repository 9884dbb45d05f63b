import { SvcError } from '@svc/errors'
import { jsonSchemas, sampleSchemas } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createSampler, readGbnf, seededRandom } from '../test/gbnf.ts'
import { type CompiledSchema, compileSchema } from './compile-schema.ts'

const origin = { param: 'response_format.json_schema.schema' }

/** The compiled schema, or the refusal. */
function compile(schema: unknown): CompiledSchema | SvcError {
  try {
    return compileSchema(schema, { origin })
  } catch (error) {
    if (SvcError.is(error)) return error
    throw error
  }
}

describe('generated schemas', () => {
  it('match valid texts only, or are refused with place and reason', () => {
    const wrong: unknown[] = []
    let drawn = 0
    for (const [index, schema] of sampleSchemas(jsonSchemas.exact, 300).entries()) {
      const compiled = compile(schema)
      if (compiled instanceof SvcError) {
        expect(compiled).toMatchObject({ kind: 'invalid_request', code: 'unsupported_schema' })
        continue
      }
      const sample = createSampler(readGbnf(compiled.grammar), seededRandom(index))
      for (let count = 0; count < 20; count += 1) {
        const text = sample()
        const problems = compiled.check(JSON.parse(text))
        drawn += 1
        if (problems !== undefined) wrong.push({ schema: JSON.stringify(schema), text, problems })
      }
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(drawn).toBeGreaterThan(4000)
  })

  it('parse for every schema, and are checked against the rest afterwards', () => {
    let refused = 0
    let right = 0
    for (const [index, schema] of sampleSchemas(jsonSchemas.any, 300).entries()) {
      const compiled = compile(schema)
      if (compiled instanceof SvcError) {
        expect(compiled).toMatchObject({ kind: 'invalid_request', code: 'unsupported_schema' })
        refused += 1
        continue
      }
      const sample = createSampler(readGbnf(compiled.grammar), seededRandom(index))
      const results = Array.from({ length: 20 }, () => compiled.check(JSON.parse(sample())))
      if (results.some((problems) => problems === undefined)) right += 1
    }
    // Most schemas must be usable, and most usable ones must generate a valid text at least sometimes.
    expect(refused).toBeLessThan(100)
    expect(right).toBeGreaterThan(150)
  })
})
