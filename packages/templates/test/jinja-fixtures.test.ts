import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Clock,
  compileJinja,
  JinjaRuntimeError,
  JinjaSyntaxError,
  type NumberedJson,
  parseJsonKeepingNumbers,
} from '../src/index.ts'

const FILE = new URL('../__fixtures__/chat-templates.jsonl', import.meta.url)
/** Friday, 2024-07-26 14:05:09, as the header of the file says. */
const CLOCK: Clock = { now: () => Date.UTC(2024, 6, 26, 14, 5, 9), offsetMinutes: () => 0 }

type JsonObject = Map<string, NumberedJson>

const [, ...records] = readFileSync(FILE, 'utf8').trim().split('\n').map(parseRecord)

function parseRecord(line: string): JsonObject {
  const record = parseJsonKeepingNumbers(line)
  if (!(record instanceof Map)) throw new Error('a record is an object')
  return record
}

function text(record: JsonObject, name: string): string {
  const value = record.get(name)
  if (typeof value !== 'string') throw new Error(`${name} is a text`)
  return value
}

function toContext(record: JsonObject): JsonObject {
  const input = record.get('input')
  if (!(input instanceof Map)) throw new Error('the input is an object')
  return new Map<string, NumberedJson>([
    ['tools', null],
    ['documents', null],
    ['add_generation_prompt', false],
    ...input,
  ])
}

function render(record: JsonObject): string {
  return compileJinja(text(record, 'template')).render(toContext(record), { clock: CLOCK })
}

function findFailure(record: JsonObject): unknown {
  try {
    return render(record)
  } catch (error) {
    return error
  }
}

const failing = records.filter((record) => record.has('error'))
const rendering = records.filter((record) => record.has('output'))

describe('chat templates of the reference', () => {
  it('has all records', () => {
    expect([records.length, rendering.length + failing.length]).toEqual([431, 431])
  })

  it.each(rendering.map((record) => [text(record, 'name'), record] as const))('renders %s', (_name, record) => {
    expect(render(record)).toBe(text(record, 'output'))
  })

  it.each(failing.map((record) => [text(record, 'name'), record] as const))('fails on %s', (_name, record) => {
    const type = text(record, 'error_type')
    const error = findFailure(record)
    const isSyntax = type === 'TemplateSyntaxError' || type === 'TemplateAssertionError'
    expect(error).toBeInstanceOf(isSyntax ? JinjaSyntaxError : JinjaRuntimeError)
    if (error instanceof JinjaRuntimeError) expect(error.exception).toBe(type)
    if (type === 'TemplateError')
      expect(error).toMatchObject({ message: text(record, 'error'), code: 'template_raised' })
  })
})
