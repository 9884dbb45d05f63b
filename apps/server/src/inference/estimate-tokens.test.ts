import { parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { estimateTokens } from './estimate-tokens.ts'

const estimate = (body: unknown, isGenerated = true): number => {
  const text = JSON.stringify(body)
  return estimateTokens(parseJson(Buffer.from(text)), { isGenerated }) - Math.ceil(text.length / 4)
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

it('a reply that is not generated has no tokens beside those of the body', () => {
  expect(estimate({ input: 'hello', max_tokens: 7 }, false)).toBe(0)
})
