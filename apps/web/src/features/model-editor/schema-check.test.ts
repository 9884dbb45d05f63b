import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseModelText } from './model-text.ts'
import { checkSchema, readSchema } from './schema-check.ts'

const file = join(import.meta.dirname, '../../../../../docs/model.schema.json')
const schema = readSchema(JSON.parse(readFileSync(file, 'utf8')))
const check = (text: string) =>
  checkSchema(parseModelText(text), schema).map(({ severity, code, path, line }) => [severity, code, path, line])

describe('the schema of model files', () => {
  it.each([
    'name: cedar\nparameters: { model: cedar.gguf, temperature: 0.2 }\n',
    'context_size: 4096\nf16: yes\nstopwords: [a, b]\n',
    'router:\n  policies:\n    - { label: code, description: Code }\n',
    'pii:\n  enabled: true\n  detectors:\n',
    '',
    'base: &base { temperature: 1 }\n'.replace('base: ', 'parameters: '),
  ])('takes %j', (text) => {
    expect(check(text)).toEqual([])
  })

  it.each([
    ['name: a\ncontext_size: abc\n', ['error', 'form', 'context_size', 2]],
    ['router: 5\n', ['error', 'type', 'router', 1]],
    ['pii:\n  enabled: perhaps\n', ['error', 'form', 'pii.enabled', 2]],
    ['parameters: [model]\n', ['error', 'type', 'parameters', 1]],
    ['name: a\nnmae: b\n', ['warning', 'unknownKey', 'nmae', 2]],
    ['proxy:\n  mode: fast\n', ['error', 'enum', 'proxy.mode', 2]],
    ['context_size: 99999999999\n', ['error', 'maximum', 'context_size', 1]],
  ])('finds the fault of %j', (text, problem) => {
    expect(check(text)).toEqual([problem])
  })

  it('tells where the fault stands', () => {
    const text = 'name: a\nproxy:\n  mode: fast\n'
    const [problem] = checkSchema(parseModelText(text), schema)
    expect(text.slice(problem?.from, problem?.to)).toBe('fast')
  })
})
