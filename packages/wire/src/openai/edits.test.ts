import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { type Edit, edit, editRequest } from './edits.ts'

const request = { model: 'm', input: 'teh cat', instruction: 'Fix the spelling' }
const reply: Edit = {
  id: 'e-1',
  object: 'edit',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, text: 'the cat' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
}

describe('editRequest', () => {
  it.each([
    request,
    { ...request, input: ['a', ''], n: 2, temperature: 0, top_p: 1 },
    { instruction: 'Write a poem' },
    { ...request, model: null, input: null, n: null, x_vendor: [1] },
  ])('accepts bodies of clients, unknown keys included: %o', (body) => {
    expect(parseBody(editRequest, body)).toEqual(body)
  })

  it.each([
    ['instruction', { input: 'a' }],
    ['instruction', { ...request, instruction: null }],
    ['input', { ...request, input: 3 }],
    ['input', { ...request, input: [1, 2] }],
    ['n', { ...request, n: 0 }],
    ['temperature', { ...request, temperature: 'hot' }],
  ])('refuses a wrong %s', (param, body) => {
    expect(() => parseBody(editRequest, body)).toThrow(
      expect.objectContaining({ details: { param: expect.stringContaining(param) } }),
    )
  })
})

describe('edit', () => {
  it('takes a whole reply', () => {
    expect(parseBody(edit, reply)).toEqual(reply)
  })

  it.each([
    ['choices[0].text', { ...reply, choices: [{ index: 0 }] }],
    ['object', { ...reply, object: 'text_completion' }],
    ['usage', { ...reply, usage: undefined }],
  ])('refuses one that clients cannot read: %s', (param, body) => {
    expect(() => parseBody(edit, body)).toThrow(expect.objectContaining({ details: { param } }))
  })
})
