import { writeFile } from 'node:fs/promises'
import { tempDir, toOnnxFile } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { openVoice } from './open-voice.ts'

it.each([
  [{ speakers: 2_000_000_000, sampleRate: 16_000 }, 'the voice has more than 10000 speakers'],
  [{ speakers: 1, sampleRate: 0 }, 'the voice has 0 samples a second'],
])('a voice with the facts %j is refused, and closed', async (facts, message) => {
  await using dir = await tempDir()
  const model = dir.join('voice.onnx')
  const graph = { nodes: [{ op: 'Identity', inputs: ['in'], outputs: ['out'] }], tensors: [], inputs: [], outputs: [] }
  await writeFile(model, toOnnxFile(graph))
  let isClosed = false
  const open = async () => ({
    facts,
    busy: 0,
    parallel: 1,
    memoryBytes: 0,
    begin: () => Promise.reject(new Error('not called')),
    close: async () => {
      isClosed = true
    },
  })
  const settings = { path: model, threads: 1, parallel: 1, maxWaiting: 0, memoryLimit: 0, options: new Map() }
  const files = { kind: 'vits', model, tokens: 'tokens.txt', lexicon: 'lexicon.txt' } as const
  await expect(openVoice(files, settings, open)).rejects.toMatchObject({ kind: 'unprocessable', message })
  expect(isClosed).toBe(true)
})
