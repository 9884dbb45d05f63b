import { expect, it } from 'vitest'
import { canonicalBackend } from './backend-names.ts'

it('reads old spellings in any case, some of them with a type', () => {
  expect(canonicalBackend('Go-Llama')).toEqual({ name: 'llama-cpp' })
  expect(canonicalBackend('huggingface-embeddings')).toEqual({ name: 'transformers', type: 'SentenceTransformer' })
  expect(canonicalBackend('mamba')).toEqual({ name: 'transformers', type: 'Mamba' })
  expect(canonicalBackend('Piper')).toEqual({ name: 'piper' })
})
