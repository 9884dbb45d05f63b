import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findFamily, normaliseModelId } from './family-defaults.ts'
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
  const found = findFamily(name)
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

it.each([
  ['Qwen3.6-27B-Q4_K_M.gguf', 'qwen3.6', { temperature: 0.7, presencePenalty: 1.5 }],
  ['qwen2.5-vl-7b', 'qwen2.5-vl', { temperature: 1.5, minP: 0.1 }],
  ['qwen2.5-math-7b', 'qwen2.5-math', { temperature: 0.7, topK: 20 }],
  ['Qwen2_5-7B', 'qwen2', { temperature: 0.7, topK: 20 }],
  ['gemma-2-9b-it', 'gemma-2', { temperature: 1, topK: 64 }],
  ['medgemma-27b', 'medgemma', { temperature: 1, topK: 64 }],
  ['Llama-3.3-70B', 'llama-3.3', { temperature: 1.5 }],
  ['mistral-large-2411', 'mistral-large', { temperature: 0.7, topP: 0.95 }],
  ['Ministral-8B', 'ministral', { temperature: 0.15 }],
  ['devstral-small', 'devstral', { temperature: 0.7 }],
  ['deepseek-v4-chat', 'deepseek-v4', { temperature: 1, topP: 1, minP: 0 }],
  ['deepseek-ocr', 'deepseek-ocr', { temperature: 0, topP: 0.95 }],
  ['glm-5-air', 'glm-5', { temperature: 1 }],
  ['MiniMax-M2.7', 'minimax-m2.7', { topK: 40 }],
  ['kimi-k3', 'kimi-k3', { temperature: 1, minP: 0 }],
  ['kimi-dev-72b', 'kimi', { temperature: 0.6 }],
])('"%s" is of the family %s', (name, family, defaults) => {
  expect(findFamily(name)).toMatchObject({ family, defaults })
})
