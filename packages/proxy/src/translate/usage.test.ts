import { describe, expect, it } from 'vitest'
import { addFigures, findChunkUsage, readCompatibleUsage, toCompatibleUsage } from './usage.ts'

/** Prompt, completion, total, and the known details. */
function brief(value: unknown) {
  const usage = readCompatibleUsage(value)
  if (usage === undefined) return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage
  return [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, { ...prompt, ...completion }]
}

describe('figures of the compatible format', () => {
  const counts = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

  it.each<[string, object, unknown]>([
    ['without details', counts, [100, 20, 120, {}]],
    ['without a total', { prompt_tokens: 100, completion_tokens: 20 }, [100, 20, 120, {}]],
    ['of the prompt alone', { prompt_tokens: 100 }, [100, 0, 100, {}]],
    [
      'with nested details',
      {
        ...counts,
        prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 12, accepted_prediction_tokens: 0 },
      },
      [100, 20, 120, { cached_tokens: 64, reasoning_tokens: 12 }],
    ],
    [
      'with null details',
      { ...counts, prompt_tokens_details: null, completion_tokens_details: null },
      [100, 20, 120, {}],
    ],
    [
      'with hits and misses of the cache',
      { ...counts, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      [100, 20, 120, { cached_tokens: 64 }],
    ],
    ['with cached tokens at the top', { ...counts, cached_tokens: 64 }, [100, 20, 120, { cached_tokens: 64 }]],
    [
      'with names of the messages format',
      { ...counts, cache_read_input_tokens: 64, cache_creation_input_tokens: 8 },
      [100, 20, 120, { cached_tokens: 64, cache_creation_tokens: 8 }],
    ],
    [
      'with writes of the cache',
      { ...counts, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 8 } },
      [100, 20, 120, { cached_tokens: 0, cache_creation_tokens: 8 }],
    ],
    ['with reasoning at the top', { ...counts, reasoning_tokens: 5 }, [100, 20, 120, { reasoning_tokens: 5 }]],
    [
      'whose thoughts are only in the total',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 315 },
      [10, 305, 315, { reasoning_tokens: 300 }],
    ],
    [
      'whose thoughts are beside the completion',
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
        prompt_tokens_details: { cached_tokens: 6 },
      },
      [32, 103, 135, { cached_tokens: 6, reasoning_tokens: 94 }],
    ],
    [
      'whose cached tokens are beside the prompt',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 79, cached_tokens: 64 },
      [74, 5, 79, { cached_tokens: 64 }],
    ],
    ['whose total is too small', { ...counts, total_tokens: 1 }, [100, 20, 120, {}]],
    ['whose total is not a count', { ...counts, total_tokens: '9' }, [100, 20, 120, {}]],
    [
      'whose details are no counts',
      { ...counts, prompt_tokens_details: { cached_tokens: -1 }, completion_tokens_details: [] },
      [100, 20, 120, {}],
    ],
    ['that are no counts', { prompt_tokens: '5', completion_tokens: 1.5 }, undefined],
    ['that are missing', {}, undefined],
  ])('%s', (_, usage, expected) => {
    expect(brief(usage)).toEqual(expected)
  })

  it.each([
    ['at the top', { usage: counts, choices: [] }],
    ['in the field of a vendor', { x_groq: { id: 'r', usage: counts }, choices: [{ delta: {} }] }],
    ['in the choice', { choices: [{ delta: {}, finish_reason: 'stop', usage: counts }] }],
    ['beside an empty one', { usage: null, x_groq: { usage: counts } }],
  ])('stand in a chunk %s', (_, chunk) => {
    expect(findChunkUsage(chunk)).toEqual(counts)
  })

  it('of no chunk are none', () => {
    expect(findChunkUsage({ choices: [] })).toBeUndefined()
  })
})

describe('figures of the messages format', () => {
  it('add up to those of the compatible format, and the last value counts', () => {
    const start = {
      input_tokens: 3,
      cache_read_input_tokens: 64,
      cache_creation_input_tokens: 8,
      cache_creation: { ephemeral_5m_input_tokens: 8 },
      output_tokens: 1,
    }
    const delta = { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 }, cache_read_input_tokens: null }
    expect(toCompatibleUsage(addFigures(addFigures({}, start), delta))).toEqual({
      prompt_tokens: 75,
      completion_tokens: 9,
      total_tokens: 84,
      prompt_tokens_details: { cached_tokens: 64, cache_creation_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    })
  })
})
