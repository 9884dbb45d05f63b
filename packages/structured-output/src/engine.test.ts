import { SvcError } from '@svc/errors'
import { jsonSchemas, sampleSchemas } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSampler, matchesGbnf, readGbnf, seededRandom } from '../test/gbnf.ts'
import { type LlamaGrammars, openLlamaGrammars } from '../test/llama-grammars.ts'
import { compileSchema, jsonObjectGrammar } from './compile-schema.ts'

let engine: LlamaGrammars

beforeAll(async () => {
  engine = await openLlamaGrammars()
})

afterAll(() => engine.close())

function compile(schema: unknown): string | undefined {
  try {
    return compileSchema(schema, { origin: { param: 'schema' } }).grammar
  } catch (error) {
    if (SvcError.is(error)) return undefined
    throw error
  }
}

/** Changes, removes or inserts one character of a text. */
function damage(text: string, random: () => number): string {
  const characters = [...text]
  const at = Math.floor(random() * characters.length)
  const kind = Math.floor(random() * 3)
  characters.splice(at, kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [',"x}]0 '.charAt(Math.floor(random() * 7))]))
  return characters.join('')
}

describe('grammars in the engine', () => {
  it.each(['exact', 'any'] as const)(
    'of 300 generated schemas (%s) match the same texts here and there',
    async (sort) => {
      let compared = 0
      for (const [index, schema] of sampleSchemas(jsonSchemas[sort], 300).entries()) {
        const grammar = compile(schema)
        if (grammar === undefined) continue
        const random = seededRandom(index)
        const read = readGbnf(grammar)
        const sample = createSampler(read, random, 4)
        const texts = Array.from({ length: 6 }, sample).filter((text) => text.length < 2000)
        expect(await engine.match(grammar, texts)).toEqual(texts.map(() => true))
        const damaged = texts
          .slice(0, 2)
          .filter((text) => text.length < 300)
          .map((text) => damage(text, random))
        expect(await engine.match(grammar, damaged)).toEqual(damaged.map((text) => matchesGbnf(read, text)))
        compared += texts.length + damaged.length
      }
      expect(compared).toBeGreaterThan(1000)
    },
    120_000,
  )

  it('of any object take objects only', async () => {
    const texts = ['{}', '{"a": [1, {"b": null}]}', '{\n  "ä": "\\u00e9"\n}', '[]', '1', '{"a"}', '{} ']
    expect(await engine.match(jsonObjectGrammar(), texts)).toEqual([true, true, true, false, false, false, false])
  })
})
