import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { toScoreRequest } from './score.ts'

const never = new AbortController().signal

/** A model with room for four tokens, which are letters, and what it was asked to read. */
function createScoreModel() {
  const asked: string[] = []
  const tokenize = (text: string): Token[] => {
    asked.push(text)
    return [...text].map((letter) => letter.charCodeAt(0) as Token)
  }
  return { asked, model: { tokenizer: { tokenize, tokenizePrompt: tokenize }, contextSize: 4 } }
}

const tokensOf = (text: string): number[] => [...Buffer.from(text)]

describe('texts to compare', () => {
  it('are what is behind the prompt, which is read once and with each of them', async () => {
    const { asked, model } = createScoreModel()
    const request = await toScoreRequest(model, { prompt: 'ab', candidates: ['c', 'de'] }, { signal: never })
    expect(request).toEqual({ prompt: tokensOf('ab'), candidates: [tokensOf('c'), tokensOf('de')] })
    expect(asked).toEqual(['ab', 'abc', 'abde'])
  })

  it.each([
    ['no prompt', ''],
    ['a prompt without room', 'abcde'],
  ])('are refused for %s before any of them is read', async (_, prompt) => {
    const { asked, model } = createScoreModel()
    const request = toScoreRequest(model, { prompt, candidates: ['x', 'y'] }, { signal: never })
    await expect(request).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(asked).toEqual([prompt])
  })

  it('are left between two of them by a caller who leaves', async () => {
    const { asked, model } = createScoreModel()
    const controller = new AbortController()
    setImmediate(() => controller.abort(new Error('gone')))
    const request = toScoreRequest(model, { prompt: 'a', candidates: ['x', 'y'] }, { signal: controller.signal })
    await expect(request).rejects.toThrow('gone')
    expect(asked).toEqual(['a', 'ax'])
  })
})
