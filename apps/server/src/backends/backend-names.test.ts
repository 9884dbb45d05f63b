import { expect, it } from 'vitest'
import { toCanonicalBackend } from './backend-names.ts'

it('reads old spellings in any case, some of them with a type', () => {
  expect(toCanonicalBackend('Go-Llama')).toEqual({ name: 'llama-cpp' })
  expect(toCanonicalBackend('huggingface-embeddings')).toEqual({ name: 'transformers', type: 'SentenceTransformer' })
  expect(toCanonicalBackend('mamba')).toEqual({ name: 'transformers', type: 'Mamba' })
  expect(toCanonicalBackend('Piper')).toEqual({ name: 'piper' })
})
