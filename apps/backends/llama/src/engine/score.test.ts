import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { toScoreRequest } from './score.ts'

const never = new AbortController().signal

/** A model with a limit of four tokens, which are letters, and a record of the read tokens. */
function createScoreModel() {
  const asked: string[] = []
  const tokenize = (text: string): Token[] => {
    asked.push(text)
    return [...text].map((letter) => letter.charCodeAt(0) as Token)
  }
  return { asked, model: { tokenizer: { tokenize, tokenizePrompt: tokenize }, contextSize: 4 } }
}

const toTokens = (text: string): number[] => [...Buffer.from(text)]

describe('texts to compare', () => {
  it('come from after the prompt, which is read once and with each candidate', async () => {
    const { asked, model } = createScoreModel()
    const request = await toScoreRequest(model, { prompt: 'ab', candidates: ['c', 'de'] }, { signal: never })
    expect(request).toEqual({ prompt: toTokens('ab'), candidates: [toTokens('c'), toTokens('de')] })
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

  it('stop between two candidates at an abort', async () => {
    const { asked, model } = createScoreModel()
    const controller = new AbortController()
    setImmediate(() => controller.abort(new Error('gone')))
    const request = toScoreRequest(model, { prompt: 'a', candidates: ['x', 'y'] }, { signal: controller.signal })
    await expect(request).rejects.toThrow('gone')
    expect(asked).toEqual(['a', 'ax'])
  })
})
