import { closeSync, openSync, writeFileSync } from 'node:fs'
import { type GgufEntry, ggufBytes, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { type GgufSummary, readGgufSummary } from './gguf-summary.ts'

async function read(values: Readonly<Record<string, GgufEntry>>): Promise<GgufSummary> {
  await using dir = await tempDir()
  const bytes = ggufBytes({ values })
  writeFileSync(dir.join('m.gguf'), bytes)
  const descriptor = openSync(dir.join('m.gguf'), 'r')
  try {
    return readGgufSummary(descriptor, bytes.length)
  } finally {
    closeSync(descriptor)
  }
}

it("gives the model's facts from the header", async () => {
  const summary = await read({
    'general.architecture': ['text', 'qwen3'],
    'general.type': ['text', 'model'],
    'general.name': ['text', 'Größe'],
    'general.file_type': ['u32', 7],
    'qwen3.context_length': ['u64', 40960],
    'qwen3.pooling_type': ['u32', 3],
    'tokenizer.chat_template': ['text', '{{ messages }}'],
  })
  expect(summary).toMatchObject({
    architecture: 'qwen3',
    type: 'model',
    name: 'Größe',
    contextLength: 40960,
    fileType: 7,
    poolingType: 3,
    hasChatTemplate: true,
    tensorCount: 1,
  })
})

it('leaves out facts that the header lacks', async () => {
  const summary = await read({
    'general.architecture': ['text', 'llama'],
    'llama.context_length': ['text', 'long'],
    'tokenizer.chat_template': ['text', ''],
  })
  expect(summary).toMatchObject({ architecture: 'llama', hasChatTemplate: false })
  expect(summary.contextLength).toBeUndefined()
})

it.each<[string, Readonly<Record<string, GgufEntry>>]>([
  ['without an architecture', { x: ['u32', 1] }],
  ['with an empty architecture', { 'general.architecture': ['text', ''] }],
  ['with a number as architecture', { 'general.architecture': ['u32', 7] }],
])('reads a file %s', async (_name, values) => {
  expect(await read(values)).toMatchObject({ architecture: '', tensorCount: 1, contextLength: undefined })
})
