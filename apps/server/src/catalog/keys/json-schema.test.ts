import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseModelFile } from '../config-file.ts'
import { findFieldMeta } from './fields.ts'
import { renderModelSchema, toModelSchema } from './json-schema.ts'
import { modelKeys } from './model-keys.ts'

const COMMITTED = new URL('../../../../../docs/model.schema.json', import.meta.url)
const FIXTURES = new URL('../__fixtures__/model-yaml/', import.meta.url)
const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strict: true, strictTypes: false }).compile(
  toModelSchema(),
)

/** The places of a file that the JSON Schema refuses, as an editor reads the file. */
function check(yaml: string): string[] {
  validate(parse(yaml, { merge: true }))
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
}

/** Whether the server takes a file. */
function isTaken(yaml: string): boolean {
  return parseModelFile(yaml, { file: 'm.yaml', folder: '/models', modifiedAt: 0 }).problems.length === 0
}

describe('the JSON Schema of model files', () => {
  it('is the one in the repository (pnpm gen writes it)', () => {
    expect(renderModelSchema()).toBe(readFileSync(COMMITTED, 'utf8'))
  })

  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.yaml') && name !== '16-wrong-type.yaml'))(
    'takes %s of existing galleries',
    (name) => {
      expect(check(readFileSync(new URL(name, FIXTURES), 'utf8'))).toEqual([])
    },
  )

  it.each([
    'name: 123',
    'name: m\nbackend: ~\npii:\n',
    'name: m\nf16: yes\nmmap: "True"\nnuma: off',
    'name: m\nthreads: 0x10\ncontext_size: 1_000\nmax_concurrent: 0b101\ngpu_layers: 4096.0',
    'name: m\nparameters: { temperature: .5, logprobs: 3, top_p: 1e-5, logit_bias: { 1: -3 } }',
    'name: m\nstopwords: [1, yes, ~, text]',
    'name: m\nproxy: { provider: openai, upstream_url: "https://a.example", mode: "" }',
    'name: m\nengine_args: { a: [1, { b: ~ }], c: true }\nof_a_later_version: { a: 1 }',
    '- name: m\n  backend: llama\n- name: n',
  ])('takes %j, which the server takes', (yaml) => {
    expect(isTaken(yaml)).toBe(true)
    expect(check(yaml)).toEqual([])
  })

  it.each([
    [readFileSync(new URL('16-wrong-type.yaml', FIXTURES), 'utf8'), '/context_size'],
    ['name: [m]', '/name'],
    ['name: m\nf16: maybe', '/f16'],
    ['name: m\nthreads: plenty', '/threads'],
    ['name: m\nthreads: 1.5', '/threads'],
    ['name: m\nmax_concurrent: -1', '/max_concurrent'],
    ['name: m\nstopwords: text', '/stopwords'],
    ['name: m\nparameters: { pooling: middle }', '/parameters/pooling'],
    ['name: m\nrouter: { candidates: [{ model: { a: b } }] }', '/router/candidates/0/model'],
    ['name: m\npii_detection: { entity_actions: { EMAIL: keep } }', '/pii_detection/entity_actions/EMAIL'],
  ])('refuses %j at %s, as the server does', (yaml, place) => {
    expect(isTaken(yaml)).toBe(false)
    expect(check(yaml).map((error) => error.split(' ', 1)[0])).toEqual([place])
  })

  it('has every key of the table, and a sentence about every block', () => {
    const { properties } = toModelSchema() as { properties: Record<string, { description?: string }> }
    const keys = findFieldMeta(modelKeys)?.keys ?? {}
    expect(Object.keys(properties)).toEqual(Object.keys(keys))
    for (const [key, field] of Object.entries(keys)) {
      if (findFieldMeta(field)?.keys !== undefined) expect(properties[key]?.description, key).toMatch(/^[A-Z].*\w/)
    }
  })
})
