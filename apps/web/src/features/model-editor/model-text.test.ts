import { describe, expect, it } from 'vitest'
import {
  hasValue,
  parseModelText,
  parseValue,
  printValue,
  readModelName,
  readValue,
  splitPath,
  writeValue,
} from './model-text.ts'

const TEXT = `# the model of the team
name: cedar # keep
parameters:
  model: cedar.gguf
  temperature: 0.2
unknown_key: [a, b]
`

describe('a model file', () => {
  it('keeps comments, order and unknown keys when a key changes', () => {
    expect(writeValue(TEXT, ['parameters', 'temperature'], 0.7)).toBe(TEXT.replace('0.2', '0.7'))
  })

  it('gets a new key below the others, in a new map where it needs one', () => {
    expect(writeValue(TEXT, ['pii', 'enabled'], true)).toBe(`${TEXT}pii:\n  enabled: true\n`)
    expect(writeValue('', ['name'], 'cedar')).toBe('name: cedar\n')
  })

  it('loses a key, and the maps that are empty then', () => {
    expect(writeValue('name: a\npii:\n  enabled: true\n', ['pii', 'enabled'], undefined)).toBe('name: a\n')
    expect(writeValue(TEXT, ['parameters', 'temperature'], undefined)).toContain('  model: cedar.gguf\nunknown_key')
  })

  it('is left alone where the text is not a map, or a value stands in the way', () => {
    expect(writeValue('- a\n- b\n', ['name'], 'x')).toBe('- a\n- b\n')
    expect(writeValue('name: [', ['name'], 'x')).toBe('name: [')
    expect(writeValue('pii: yes please\n', ['pii', 'enabled'], true)).toBe('pii: yes please\n')
  })

  it('fills a key without a value', () => {
    expect(writeValue('pii:\n', ['pii', 'enabled'], true)).toBe('pii:\n  enabled: true\n')
  })

  it('is read by its keys', () => {
    const model = parseModelText(TEXT)
    expect(readValue(model, splitPath('parameters.model'))).toBe('cedar.gguf')
    expect(readValue(model, ['unknown_key'])).toEqual(['a', 'b'])
    expect(readValue(model, ['absent', 'key'])).toBeUndefined()
    expect(hasValue(model, ['parameters'])).toBe(true)
    expect(readModelName(model)).toBe('cedar')
    expect(readModelName(parseModelText('[1]'))).toBeUndefined()
  })

  it('has parts that are typed as YAML', () => {
    expect(parseValue('a: 1\nb: [x]')).toEqual({ value: { a: 1, b: ['x'] } })
    expect(parseValue('  ')).toEqual({ value: undefined })
    expect(parseValue('a: [')).toHaveProperty('fault')
    expect(printValue({ a: 1 })).toBe('a: 1')
    expect(printValue(undefined)).toBe('')
  })
})
