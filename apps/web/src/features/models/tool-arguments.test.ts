import { describe, expect, test } from 'vitest'
import { listAnswerParts } from './answer-parts.ts'
import { listFields, readArguments, readJsonArguments, toJsonText } from './tool-arguments.ts'

const schema = {
  type: 'object',
  required: ['path', 'deep'],
  properties: {
    path: { type: 'string', description: 'A file' },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    dry: { type: 'boolean' },
    order: { enum: ['up', 'down'] },
  },
}

describe('arguments of a tool', () => {
  const fields = listFields(schema) ?? []

  test('are fields where their schema is simple', () => {
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['path', 'string', true],
      ['limit', 'integer', false],
      ['ratio', 'number', false],
      ['deep', 'boolean', true],
      ['dry', 'boolean', false],
      ['order', 'choice', false],
    ])
    expect(listFields({ type: 'object' })).toEqual([])
  })

  test.each([
    { properties: { a: { type: 'array' } } },
    { properties: { a: { type: ['string', 'null'] } } },
    { properties: { a: { enum: ['x', 1] } } },
    { properties: { a: true } },
    { properties: {}, oneOf: [{}] },
    { properties: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a${index}`, { type: 'string' }])) },
  ])('are JSON where a form cannot write them: %j', (other) => {
    expect(listFields(other)).toBeUndefined()
  })

  test('are read with their types; empty ones are left out', () => {
    const values = { path: 'a', limit: '3', ratio: '0.5', order: 'up' }
    expect(readArguments(fields, values)).toEqual({
      args: { path: 'a', limit: 3, ratio: 0.5, deep: false, order: 'up' },
    })
    expect(readArguments(fields, { limit: '1.5', ratio: ' ' })).toEqual({
      problems: { path: 'required', limit: 'number', ratio: 'number' },
    })
    expect(JSON.parse(toJsonText(fields, { path: 'a', limit: 'x' }))).toEqual({ path: 'a', deep: false })
  })

  test('are read as JSON when they are an object', () => {
    expect(readJsonArguments('')).toEqual({ args: {} })
    expect(readJsonArguments('{"a":[1]}')).toEqual({ args: { a: [1] } })
    for (const text of ['[]', '1', '{', 'null'])
      expect(readJsonArguments(text)).toEqual({ problems: { '': 'required' } })
  })
})

describe('the answer of a tool', () => {
  const list = (content: Record<string, unknown>[], more: object = {}) =>
    listAnswerParts({ content, ...more }).map(({ part }) => part)

  test('has texts, pictures and sounds', () => {
    const parts = list([
      { type: 'text', text: 'hi' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'a:b', text: 'inside' } },
      { type: 'resource_link', uri: 'a:b' },
    ])
    expect(parts).toEqual([
      { kind: 'text', text: 'hi' },
      { kind: 'picture', url: 'data:image/png;base64,aGk=' },
      { kind: 'sound', bytes: new Uint8Array([104, 105]), type: 'audio/wav' },
      { kind: 'text', text: 'inside' },
      { kind: 'text', text: expect.stringContaining('resource_link') },
    ])
    expect(list([], { structuredContent: { a: 1 } })).toEqual([{ kind: 'text', text: '{\n  "a": 1\n}' }])
  })

  test('shows media of unknown kinds and broken bytes as JSON', () => {
    const odd = [
      { type: 'image', data: 'aGk=', mimeType: 'text/html' },
      { type: 'image', data: '"><script>', mimeType: 'image/png' },
      { type: 'audio', data: 'a', mimeType: 'audio/wav' },
    ]
    expect(list(odd).map(({ kind }) => kind)).toEqual(['text', 'text', 'text'])
  })
})
