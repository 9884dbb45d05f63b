import type { CallOptions, Embedder, Scorer } from '../ports.ts'
import type { RouterSettings } from '../settings.ts'

const DIMENSION = 64

/** An embedder that counts words: texts with the same words have the same vector. */
export function createWordEmbedder(): Embedder & { readonly texts: string[] } {
  const texts: string[] = []
  return {
    texts,
    async embed(batch, { signal }) {
      signal.throwIfAborted()
      texts.push(...batch)
      return batch.map(embedWords)
    },
  }
}

/** The vector of a text: each word and each three letters of it count at a place that they hash to. */
export function embedWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ['nothing']) {
    vector[hash(word) % DIMENSION] = (vector[hash(word) % DIMENSION] ?? 0) + 2
    for (let start = 0; start + 3 <= word.length; start++) {
      const place = hash(word.slice(start, start + 3)) % DIMENSION
      vector[place] = (vector[place] ?? 0) + 0.5
    }
  }
  return vector
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (const unit of text) value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}

/** A scorer that finds the label whose name is in the prompt of the user. */
export function createWordScorer(): Scorer & { readonly prompts: string[] } {
  const prompts: string[] = []
  return {
    prompts,
    async score({ prompt, continuations }) {
      prompts.push(prompt)
      const user = prompt.slice(prompt.indexOf('<|im_start|>user'))
      return continuations.map((text) => {
        const label = /"route": "(?<label>[^"]+)"/.exec(text)?.groups?.label ?? ''
        return { logProbability: user.includes(label) ? -1 : -40, tokenCount: 10 }
      })
    },
  }
}

/** A call that never answers and does not listen either. */
export function hang(calls: CallOptions[] = []): (_request: unknown, options: CallOptions) => Promise<never> {
  return (_request, options) => {
    calls.push(options)
    return new Promise(() => {})
  }
}

/** Settings of a router with three labels and as many candidates. */
export const SETTINGS: RouterSettings = {
  classifierModel: 'classifier',
  activationThreshold: 0.5,
  policies: [
    { label: 'code', description: 'Writing and fixing programs' },
    { label: 'math', description: 'Sums and proofs' },
    { label: 'chat', description: 'Everything else' },
  ],
  candidates: [
    { model: 'small', labels: ['chat'] },
    { model: 'mid', labels: ['chat', 'code'] },
    { model: 'big', labels: ['chat', 'code', 'math'] },
  ],
  fallback: 'spare',
}
