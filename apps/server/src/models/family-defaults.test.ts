import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { familyOf, normaliseModelId } from './family-defaults.ts'
import { toCamelCase } from './keys/fields.ts'
import { readWeightsName } from './weights-name.ts'

interface Recorded {
  readonly name: string
  readonly normalized: string
  readonly family: string | null
  readonly defaults: Readonly<Record<string, number>> | null
  readonly quantization: string
  readonly parameter_size: string
}

const recorded: readonly Recorded[] = readFileSync(new URL('__fixtures__/gguf-names.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

it.each(recorded)('"$name" is of the family $family', ({ name, normalized, family, defaults }) => {
  expect(normaliseModelId(name)).toBe(normalized)
  const found = familyOf(name)
  expect(found?.family ?? null).toBe(family)
  const expected =
    defaults && Object.fromEntries(Object.entries(defaults).map(([key, value]) => [toCamelCase(key), value]))
  expect(found?.defaults ?? null).toEqual(expected)
})

it.each(recorded)(
  '"$name" is $quantization of $parameter_size',
  ({ name, quantization, parameter_size: parameterSize }) => {
    expect(readWeightsName(name)).toEqual({ quantization, parameterSize })
  },
)
