import { parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { estimatePrompt, estimateTokens, measureAnswer } from './estimate-tokens.ts'

const estimate = (body: unknown, isGenerated = true, kind: 'json' | 'form' = 'json'): number => {
  const text = JSON.stringify(body)
  const texts = () => parseJson(Buffer.from(text))
  const { prompt, answer } = estimateTokens({ kind, texts }, { isGenerated })
  return prompt + answer - Math.ceil(text.length / 4)
}

it.each([
  [{ max_tokens: 7 }, 7],
  [{ max_tokens: 9, max_completion_tokens: 7 }, 7],
  [{ max_output_tokens: 7.2 }, 8],
  [{ options: { num_predict: 7 } }, 7],
  [{}, 256],
  [{ max_tokens: 0 }, 256],
  [{ max_tokens: -1 }, 256],
  [{ max_tokens: 1e12 }, 256],
  [{ max_tokens: '7' }, 256],
  [{ max_tokens: null }, 256],
  [{ options: { num_predict: -2 } }, 256],
])('an answer of %j is estimated at %d tokens', (body, tokens) => {
  expect(estimate(body)).toBe(tokens)
})

it.each([
  [{ max_tokens: '7' }, 7],
  [{ max_tokens: ' 7.2 ' }, 8],
  [{ max_tokens: '9', max_completion_tokens: '7' }, 7],
  [{ max_tokens: '1000000' }, 1_000_000],
  [{ max_tokens: '1000001' }, 256],
  [{ max_tokens: '0' }, 256],
  [{ max_tokens: '-1' }, 256],
  [{ max_tokens: '0x7' }, 256],
  [{ max_tokens: '1e3' }, 256],
  [{ max_tokens: '' }, 256],
  [{ max_tokens: 'many' }, 256],
  [{ max_tokens: '7'.repeat(1000) }, 256],
  [{ 'max_tokens[]': ['7'] }, 256],
])('an answer to the form %j is estimated at %d tokens', (body, tokens) => {
  expect(estimate(body, true, 'form')).toBe(tokens)
})

it('a reply that is not generated has no tokens beside those of the body', () => {
  expect(estimate({ input: 'hello', max_tokens: 7 }, false)).toBe(0)
})

const base64 = 'QUJD'.repeat(50_000)
const words = 'some words '.repeat(20_000)

it.each<[string, unknown, number]>([
  ['text', { content: words }, words.length / 4],
  ['text of one word', { content: base64 }, base64.length / 4],
  ['text that looks like an image', { content: `data:image/png;base64,${base64}` }, base64.length / 4],
  ['an image', { image_url: { url: `data:image/png;base64,${base64}` } }, 1000],
  ['two images of the messages format', [1, 2].map(() => ({ source: { type: 'base64', data: base64 } })), 2000],
  ['sound', { input_audio: { data: base64, format: 'wav' } }, 1000],
  ['a file', { file: { file_data: `data:application/pdf;base64,${base64}` } }, 1000],
  ['a small image', { image_url: { url: `data:image/png;base64,${base64.slice(0, 2000)}` } }, 500],
])('a prompt with %s is estimated by what it holds', (_, content, expected) => {
  const prompt = estimatePrompt(parseJson(Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }] }))))
  expect(prompt).toBeGreaterThanOrEqual(expected)
  expect(prompt).toBeLessThan(expected + 100)
})

it('the size of an answer is that of its texts in UTF-8', () => {
  expect(
    measureAnswer([
      { type: 'progress', usage: { promptTokens: 1, completionTokens: 1, promptMs: 0, generationMs: 0 } },
      { type: 'text-delta', choice: 0, text: 'a prompt', prompt: [] },
      { type: 'text-delta', choice: 0, text: 'grüße' },
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'tool-call-start', choice: 0, index: 0, id: 'call_1', name: 'get' },
      { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{}' },
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
    ]),
  ).toBe(7 + 2 + 3 + 2)
})
