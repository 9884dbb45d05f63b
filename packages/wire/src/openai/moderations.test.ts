import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import {
  MODERATION_CATEGORIES,
  type Moderation,
  type ModerationCategory,
  moderation,
  moderationRequest,
} from './moderations.ts'

/** A value for each category. */
function each<T>(value: T): Record<ModerationCategory, T> {
  return Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, value])) as Record<ModerationCategory, T>
}

const result: Moderation['results'][number] = {
  flagged: false,
  categories: each(false),
  category_scores: each(0.25),
  category_applied_input_types: each(['text' as const]),
}
const reply: Moderation = { id: 'modr-1', model: 'm', results: [result] }

describe('moderationRequest', () => {
  it.each([{ input: 'a' }, { model: 'm', input: ['a', 'b'] }, { model: null, input: [], user: 'x' }])(
    'takes texts: %o',
    (body) => {
      expect(parseBody(moderationRequest, body)).toEqual(body)
    },
  )

  it.each([
    {},
    { input: null },
    { input: { type: 'text', text: 'a' } },
    { input: [{ type: 'text', text: 'a' }] },
    { input: [1] },
  ])('refuses anything else: %o', (body) => {
    expect(() => parseBody(moderationRequest, body)).toThrow(
      expect.objectContaining({ details: { param: expect.stringMatching(/^input/) } }),
    )
  })
})

describe('moderation', () => {
  it('takes a whole reply of 13 categories', () => {
    expect(MODERATION_CATEGORIES).toHaveLength(13)
    expect(parseBody(moderation, reply)).toEqual(reply)
  })

  it.each([
    ['results[0].flagged', { flagged: undefined }],
    ['results[0].category_scores.hate', { category_scores: { ...each(0), hate: 1.5 } }],
    ['results[0].categories.violence', { categories: { ...each(false), violence: undefined } }],
  ])('refuses one that clients cannot read: %s', (param, changes) => {
    const body = { ...reply, results: [{ ...result, ...changes }] }
    expect(() => parseBody(moderation, body)).toThrow(expect.objectContaining({ details: { param } }))
  })
})
