import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lintModel } from './lint.ts'
import { parseModelText, readModelName } from './model-text.ts'
import { readSchema } from './schema-check.ts'
import { TEMPLATES } from './templates.ts'

const file = join(import.meta.dirname, '../../../../../docs/model.schema.json')
const schema = readSchema(JSON.parse(readFileSync(file, 'utf8')))

describe('templates', () => {
  it.each(TEMPLATES.map(({ id, text }) => [id, text]))('%s has a name and no fault of its own', (_, text) => {
    const model = parseModelText(text)
    expect(readModelName(model)).toBeDefined()
    expect(lintModel(model, { schema, known: undefined })).toEqual([])
  })
})

describe('the layers of checks', () => {
  it('stop at a text that is not YAML', () => {
    const problems = lintModel(parseModelText('name: [\nrouter: 5'), { schema, known: undefined })
    expect(problems.map(({ layer }) => layer)).toContain('syntax')
    expect(problems.every(({ layer }) => layer === 'syntax')).toBe(true)
  })

  it('are listed in the order of the text', () => {
    const text = 'proxy:\n  api_key_env: A\n  api_key_file: b\nrouter: 5\nnmae: x\n'
    const problems = lintModel(parseModelText(text), { schema, known: undefined })
    expect(problems.map(({ layer, code }) => [layer, code])).toEqual([
      ['rule', 'twoKeys'],
      ['schema', 'type'],
      ['schema', 'unknownKey'],
    ])
  })
})
