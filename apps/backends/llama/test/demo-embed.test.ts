import { demoModels } from '@svc/demo-models'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  const embedder = demoModels.find(({ name }) => name === 'demo-embed')
  await backend.loadFile(embedder?.file ?? '', {
    Model: 'demo-embed',
    Embeddings: true,
    Options: [...(embedder?.options ?? [])],
  })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function embed(text: string): Promise<readonly number[]> {
  return (await backend.client.embedding({ Embeddings: text })).embeddings
}

function cosine(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}

describe('the demo model for embeddings', () => {
  it('gives vectors of length 1 and 256 numbers, the same for the same text', async () => {
    const vector = await embed('How do I add my own model?')
    expect(vector).toHaveLength(256)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(await embed('How do I add my own model?')).toEqual(vector)
  })

  it('puts a question nearer to its answer and to another wording than to something else', async () => {
    const question = await embed('How do I add my own model?')
    const answer = await embed('Put the GGUF file into the models folder or run svc models add file.gguf.')
    const wording = await embed('where do I put a gguf file')
    const other = await embed('The cat sleeps on the warm roof.')
    expect(cosine(question, answer)).toBeGreaterThan(cosine(question, other) + 0.2)
    expect(cosine(question, wording)).toBeGreaterThan(cosine(question, other) + 0.2)
  })

  it('knows texts about other things by the words they share', async () => {
    const query = await embed('Which animals live in the forest?')
    const near = await embed('Many animals find food in a forest.')
    const far = await embed('The bank raised its interest rates again.')
    expect(cosine(query, near)).toBeGreaterThan(cosine(query, far) + 0.3)
  })

  it('does not read the order of words', async () => {
    const [first, second] = [await embed('the man bites a dog'), await embed('the dog bites a man')]
    expect(cosine(first, second)).toBeGreaterThan(0.99)
  })
})
