import { GgufError, readLeadingKeys } from '@svc/gguf'
import { ggufBytes } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'

const FILE = ggufBytes({
  values: {
    'general.architecture': ['text', 'llama'],
    'general.tags': ['texts', ['one', 'two']],
    'llama.block_count': ['u32', 32],
    'llama.head_counts': ['numbers', [1, 2, 3]],
    'llama.context_length': ['u32', 4096],
    'tokenizer.ggml.tokens': ['texts', Array.from({ length: 5000 }, (_, index) => `token ${index}`)],
    'tokenizer.ggml.bos_token_id': ['u32', 1],
  },
})
const FACTS = { 'general.architecture': 'llama', 'llama.block_count': 32, 'llama.context_length': 4096 }

describe('the first bytes of a file', () => {
  it('give the keys before the place where they are cut', () => {
    expect(Object.fromEntries(readLeadingKeys(FILE.subarray(0, 4096)))).toEqual(FACTS)
  })

  it('give every key where nothing is cut', () => {
    expect(Object.fromEntries(readLeadingKeys(FILE))).toEqual({ ...FACTS, 'tokenizer.ggml.bos_token_id': 1 })
  })

  it('give whole keys alone, wherever they are cut', () => {
    for (let end = 24; end < 700; end += 1) {
      const found = Object.fromEntries(readLeadingKeys(FILE.subarray(0, end)))
      expect(FACTS).toMatchObject(found)
    }
  })

  it('are refused where they begin no file', () => {
    expect(() => readLeadingKeys(new TextEncoder().encode('<html>please sign in to see this page</html>'))).toThrow(
      GgufError,
    )
    expect(() => readLeadingKeys(FILE.subarray(0, 12))).toThrow(GgufError)
  })
})
