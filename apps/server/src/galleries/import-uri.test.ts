import { startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import type { UriServices } from '../downloads/resolve-uri.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { toAllowList } from '../outbound/target.ts'
import { type ImportPreferences, planImport } from './import-uri.ts'

const CHATS = { known_usecases: ['chat'], template: { use_tokenizer_template: true } }

/** Plans an import; the hub describes its one repository so. */
async function plan(uri: string, described: unknown, preferences: ImportPreferences = {}) {
  const path = '/api/models/owner/repo/revision/main'
  await using origin = await startFileOrigin({ files: { [path]: Buffer.from(JSON.stringify(described)) } })
  const services: UriServices = {
    hubUrl: origin.origin,
    hubToken: undefined,
    hubTrust: 'operator',
    codeHostUrl: origin.origin,
    codeHostTrust: 'operator',
    credentials: { find: () => undefined, findRegistry: () => undefined },
    modelsPath: '/models',
  }
  const client = createOutboundClient({
    allow: toAllowList([]),
    clock: systemClock,
    log: silentLogger,
    userAgent: 'svc/test',
  })
  const parts = { client, services: () => services, canRun: async () => true }
  return await planImport(uri, preferences, parts, AbortSignal.timeout(60_000))
}

describe('the import of a repository', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['text-generation', 'vllm', CHATS],
    ['text-generation', 'cuda12-transformers', CHATS],
    ['image-text-to-text', 'mlx-vlm', { ...CHATS, known_usecases: ['chat', 'vision'] }],
    ['', 'sglang-development', CHATS],
    ['some-new-task', 'mlx', CHATS],
    ['text-to-speech', 'transformers', { known_usecases: ['tts'] }],
    ['automatic-speech-recognition', 'faster-whisper', { known_usecases: ['transcript'] }],
    ['sentence-similarity', 'transformers', { embeddings: true }],
    ['text-generation', 'rerankers', {}],
    ['constructor', 'diffusers', {}],
  ])('says what a model can be asked for: %s with %s', async (task, backend, keys) => {
    const described = { sha: 'a'.repeat(40), pipeline_tag: task, siblings: [{ rfilename: 'model.safetensors' }] }
    const planned = await plan('hf://owner/repo', described, { backend })
    expect(planned).toEqual({
      kind: 'install',
      request: {
        name: 'repo',
        overrides: { backend },
        configFile: { parameters: { model: 'owner/repo' }, ...keys },
      },
    })
  })
})

describe('the import of a Whisper file', () => {
  const listing = (...names: readonly string[]) => ({
    sha: 'a'.repeat(40),
    pipeline_tag: 'automatic-speech-recognition',
    siblings: ['README.md', ...names].map((rfilename) => ({ rfilename })),
  })
  const model = { backend: 'whisper' }

  it('by its address has the backend whisper', async () => {
    const uri = 'https://files.example/models/ggml-base.en-q5_1.bin'
    expect(await plan(uri, {})).toEqual({
      kind: 'install',
      request: {
        name: 'ggml-base.en-q5_1',
        configFile: { ...model, parameters: { model: 'ggml-base.en-q5_1.bin' } },
        overrides: {},
        files: [{ filename: 'ggml-base.en-q5_1.bin', uri }],
      },
    })
    await expect(plan('https://files.example/other.bin', {})).rejects.toMatchObject({ code: 'invalid_uri' })
  })

  it('of a repository with one of them does not ask for a backend', async () => {
    expect(await plan('hf://owner/repo', listing('ggml-model.bin', 'ggml-silero-v5.1.2.bin'))).toMatchObject({
      kind: 'install',
      request: {
        name: 'repo',
        configFile: { ...model, parameters: { model: 'owner__repo/ggml-model.bin' } },
        files: [{ uri: `hf://owner/repo/ggml-model.bin@${'a'.repeat(40)}` }],
      },
    })
  })

  it('of a repository with several names them', async () => {
    await expect(plan('hf://owner/repo', listing('ggml-base.bin', 'ggml-tiny.bin'))).rejects.toMatchObject({
      code: 'invalid_uri',
      message: expect.stringContaining('hf://owner/repo/ggml-base.bin: ggml-base.bin, ggml-tiny.bin'),
    })
  })
})
