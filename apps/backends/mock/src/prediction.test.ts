import { PredictOptions } from '@svc/backend-client/proto'
import { expect, it } from 'vitest'
import { planPrediction, toPrompt } from './prediction.ts'
import type { MockBehaviour } from './script.ts'

function pieces(behaviour: MockBehaviour, request: Partial<PredictOptions> = {}): string[] {
  const plan = planPrediction(PredictOptions.fromPartial(request), behaviour)
  return plan.pieces.map((piece) => Buffer.from(piece).toString('latin1'))
}

it('splits text into words, characters or bytes', () => {
  expect(pieces({ text: 'one two' })).toEqual(['one', ' two'])
  expect(pieces({ text: 'abc', split: 'characters' })).toEqual(['a', 'b', 'c'])
  expect(pieces({ text: 'é', split: 'bytes' })).toEqual(['\xc3', '\xa9'])
})

it('stops at the token limit and at a stop text, but cuts no exact pieces', () => {
  expect(pieces({ text: 'one two three' }, { Tokens: 2 })).toEqual(['one', ' two'])
  expect(pieces({ text: 'one two three' }, { StopPrompts: ['three', ' two', ''] })).toEqual(['one'])
  expect(pieces({ pieces: ['one', ' two'] }, { Tokens: 1, StopPrompts: ['two'] })).toEqual(['one', ' two'])
})

it('knows the stop text that comes first', () => {
  const findStop = (request: Partial<PredictOptions>) =>
    planPrediction(PredictOptions.fromPartial(request), { text: 'one two three' }).stop
  expect(findStop({ StopPrompts: ['three', ' two', ''] })).toBe(1)
  expect(findStop({ StopPrompts: ['three'], Tokens: 1 })).toBeUndefined()
  expect(findStop({ StopPrompts: ['four'] })).toBeUndefined()
})

it('counts words, unless a script counts', () => {
  const request = PredictOptions.fromPartial({ Prompt: 'a b c' })
  expect(planPrediction(request, { text: 'one two' })).toMatchObject({ promptTokens: 3, completionTokens: 2 })
  expect(planPrediction(request, { text: 'one two', promptTokens: 7, completionTokens: 9 })).toMatchObject({
    promptTokens: 7,
    completionTokens: 9,
  })
})

it('reads the prompt, or without one the messages', () => {
  expect(toPrompt(PredictOptions.fromPartial({ Prompt: 'p', Messages: [{ content: 'm' }] }))).toBe('p')
  expect(toPrompt(PredictOptions.fromPartial({ Messages: [{ content: 'm' }, { content: 'n' }] }))).toBe('m\nn')
})

it('writes tool arguments as JSON, and text as it is', () => {
  const { toolCalls } = planPrediction(PredictOptions.fromPartial({}), {
    toolCalls: [
      { name: 'f', arguments: { a: 1 } },
      { id: 'x', name: 'g', arguments: '{"broken' },
    ],
  })
  expect(toolCalls).toEqual([
    { id: 'call_mock_0', name: 'f', arguments: '{"a":1}' },
    { id: 'x', name: 'g', arguments: '{"broken' },
  ])
})
