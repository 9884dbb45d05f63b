import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toCamelCaseKeys } from '../__fixtures__/camel-case-keys.ts'
import type { ReasoningSettings } from '../settings.ts'
import {
  createReasoningCleaner,
  createReasoningSplitter,
  type ReasoningDelta,
  type ReplyStart,
} from './reasoning-splitter.ts'
import { splitReasoning } from './split-reasoning.ts'
import { findPrefilledToken } from './tag-pairs.ts'

interface Answer {
  readonly start_token?: string
  readonly reasoning: string
  readonly content: string
}

interface Fixture extends Answer {
  readonly header?: true
  readonly name: string
  readonly text?: string
  readonly chunks?: readonly string[]
  readonly reasoning_deltas?: readonly string[]
  readonly deltas?: readonly string[]
  readonly prompt?: string
  readonly config?: unknown
  readonly expected?: Answer
}

const fixtures = readFileSync(new URL('./__fixtures__/reasoning.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Fixture => JSON.parse(line))
  .filter(({ header }) => header !== true)

/** Reads the block as a model file would hold it. */
function readSettings({ config = {} }: Fixture): ReasoningSettings {
  return toCamelCaseKeys(config) as ReasoningSettings
}

function readStart(fixture: Fixture): ReplyStart {
  return { promptEndsInside: findPrefilledToken(fixture.prompt ?? '', readSettings(fixture)) }
}

function stream(pieces: readonly string[], fixture: Fixture): ReasoningDelta {
  const splitter = createReasoningSplitter(readSettings(fixture), readStart(fixture))
  const deltas = [...pieces.map((piece) => splitter.push(piece)), splitter.end()]
  return {
    reasoning: deltas.map(({ reasoning }) => reasoning).join(''),
    text: deltas.map(({ text }) => text).join(''),
  }
}

describe('recorded replies', () => {
  const replies = fixtures.filter(({ text }) => text !== undefined)

  it('are all there', () => {
    expect(replies).toHaveLength(75)
  })

  it.each(replies)('$name', (fixture) => {
    const { reasoning, content } = fixture.expected ?? fixture
    const split = splitReasoning(fixture.text ?? '', { settings: readSettings(fixture), ...readStart(fixture) })
    expect(split).toEqual({ reasoning, text: content })
  })
})

describe('recorded streams', () => {
  const streams = fixtures.filter(({ chunks }) => chunks !== undefined)

  it('are all there', () => {
    expect(streams).toHaveLength(24)
  })

  it.each(streams)('$name, cut as recorded, at every place and not at all', (fixture) => {
    const { reasoning, content } = fixture.expected ?? fixture
    const chunks = fixture.chunks ?? []
    const whole = chunks.join('')
    for (const pieces of [chunks, whole.split(''), [whole]]) {
      expect(stream(pieces, fixture)).toEqual({ reasoning, text: content })
    }
    for (let at = 1; at < whole.length; at++) {
      expect(stream([whole.slice(0, at), whole.slice(at)], fixture)).toEqual({ reasoning, text: content })
    }
  })
})

describe('recorded reasoning of backends', () => {
  const lists = fixtures.filter(({ deltas }) => deltas !== undefined)

  it('is all there', () => {
    expect(lists).toHaveLength(5)
  })

  it.each(lists)('$name', (fixture) => {
    const cleaner = createReasoningCleaner(readSettings(fixture))
    expect((fixture.reasoning_deltas ?? []).map((piece) => cleaner.push(piece))).toEqual(fixture.deltas)
    expect(cleaner.end()).toBe('')
  })
})

describe('recorded prompts', () => {
  // The recorded token is that of the lookup, which does not count here: the prompt already closes its block.
  const closed = 'prefill/closed-in-prompt'
  const prompts = fixtures.filter(({ name, prompt, deltas }) => prompt !== undefined && !deltas && name !== closed)

  it.each(prompts)('$name', (fixture) => {
    expect(readStart(fixture).promptEndsInside ?? '').toBe((fixture.expected ?? fixture).start_token ?? '')
  })
})
