import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toCamelCaseKeys } from '../__fixtures__/camel-case-keys.ts'
import type { ToolCallSettings } from '../settings.ts'
import { type ChatDelta, collectChatDeltas } from './chat-deltas.ts'
import { parseToolCalls } from './parse-tool-calls.ts'
import { compilePatternSettings, readByPatterns } from './pattern-calls.ts'
import { type ParsedToolCall, type ToolCallEvent, type ToolCallOptions, toCalls } from './tool-call.ts'
import { createToolCallStream } from './tool-call-stream.ts'
import { NO_MARKERS, type ToolFormatMarkers } from './tool-format-markers.ts'

interface Answer {
  readonly calls?: readonly ParsedToolCall[]
  readonly content?: string | undefined
}

interface Fixture extends Answer {
  readonly header?: true
  readonly name: string
  readonly text?: string
  readonly chunks?: readonly string[]
  readonly deltas?: readonly Record<string, unknown>[]
  readonly config?: unknown
  readonly markers?: Readonly<Record<string, unknown>>
  readonly captured?: string
  readonly reasoning?: string
  readonly expected?: Answer
  readonly open?: string
}

const fixtures = readFileSync(new URL('./__fixtures__/tool-calls.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Fixture => JSON.parse(line))
  .filter(({ header }) => header !== true)

/** Reads the block as a model file would hold it. */
function readSettings({ config = {} }: Fixture): ToolCallSettings {
  return toCamelCaseKeys(config) as ToolCallSettings
}

function readOptions(fixture: Fixture): ToolCallOptions {
  const settings = readSettings(fixture)
  if (fixture.markers === undefined) return { settings }
  const markers = toCamelCaseKeys(fixture.markers) as Partial<ToolFormatMarkers>
  return { settings, markers: { ...NO_MARKERS, ...markers } }
}

/** Compares as the header says: as values where both are objects, else as text. */
function readArguments({ arguments: text }: ParsedToolCall): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

function comparable(calls: readonly ParsedToolCall[]): unknown[] {
  return calls.map((call) => ({ ...call, arguments: readArguments(call) }))
}

function collapse(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, ' ').trim()
}

/** The record allows two readings; ours is: no call. */
function readAnswer({ open, calls = [], content, expected }: Fixture): Answer {
  return open === undefined ? { calls, content, ...expected } : { calls: [] }
}

function expectAnswer({ calls, content }: Answer, fixture: Fixture): void {
  const answer = readAnswer(fixture)
  expect(comparable(calls ?? [])).toEqual(comparable(answer.calls ?? []))
  if (answer.content !== undefined) expect(collapse(content)).toBe(collapse(answer.content))
}

function stream(pieces: readonly string[], fixture: Fixture): Answer & { events: ToolCallEvent[] } {
  const calls = createToolCallStream(readOptions(fixture))
  const events = [...pieces.flatMap((piece) => calls.push(piece)), ...calls.end()]
  const texts = events.map((event) => (event.type === 'text' ? event.text : ''))
  return { calls: toCalls(events), content: texts.join(''), events }
}

const texts = fixtures.filter(({ text }) => text !== undefined)
const streams = fixtures.filter(({ chunks }) => chunks !== undefined)
const deltaLists = fixtures.filter(({ deltas }) => deltas !== undefined)

it('the records are all there', () => {
  expect([texts, streams, deltaLists].map(({ length }) => length)).toEqual([437, 21, 11])
})

describe('recorded replies', () => {
  it.each(texts)('$name', (fixture) => {
    expectAnswer(parseToolCalls(fixture.text ?? '', readOptions(fixture)), fixture)
  })

  it.each(texts.filter(({ captured }) => captured !== undefined))('$name captures', (fixture) => {
    const options = readOptions(fixture)
    const patterns = compilePatternSettings(options)
    expect(patterns && readByPatterns(fixture.text ?? '', options, patterns).captured).toBe(fixture.captured)
  })

  it.each(texts)('$name, letter by letter', (fixture) => {
    const text = fixture.text ?? ''
    const { calls, content } = parseToolCalls(text, readOptions(fixture))
    expect(stream(text.split(''), fixture)).toMatchObject({ calls, content })
  })
})

describe('recorded streams', () => {
  it.each(streams)('$name, cut as recorded, at every place and not at all', (fixture) => {
    const chunks = fixture.chunks ?? []
    const whole = chunks.join('')
    const { calls, content } = stream([whole], fixture)
    expectAnswer({ calls: calls ?? [], content }, fixture)
    for (const pieces of [chunks, whole.split('')]) expect(stream(pieces, fixture)).toMatchObject({ calls, content })
    for (let at = 1; at < whole.length; at++) {
      expect(stream([whole.slice(0, at), whole.slice(at)], fixture)).toMatchObject({ calls, content })
    }
  })

  it.each(streams)('$name says no text that belongs to a call, and each call once', (fixture) => {
    const { events } = stream((fixture.chunks ?? []).join('').split(''), fixture)
    const started = events.filter(({ type }) => type === 'call-start')
    expect(started.map((event) => 'index' in event && event.index)).toEqual(started.map((_, index) => index))
    expect(events.filter(({ type }) => type === 'call-arguments')).toHaveLength(started.length)
  })
})

describe('recorded deltas of backends', () => {
  it.each(deltaLists)('$name', ({ deltas = [], calls = [], content, reasoning }) => {
    const read = deltas.map((delta): ChatDelta => {
      const calls: readonly Partial<ChatDelta['toolCalls'][number]>[] = Array.isArray(delta.tool_calls)
        ? delta.tool_calls
        : []
      return {
        content: String(delta.content ?? ''),
        reasoningContent: String(delta.reasoning_content ?? ''),
        toolCalls: calls.map((call) => ({ index: 0, id: '', name: '', arguments: '', ...call })),
      }
    })
    expect(collectChatDeltas(read)).toEqual({ calls, content, reasoning })
  })
})
