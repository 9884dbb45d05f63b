import { startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import type { UriServices } from '../downloads/resolve-uri.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { toAllowList } from '../outbound/target.ts'
import { planImport } from './import-uri.ts'

const CHATS = { known_usecases: ['chat'], template: { use_tokenizer_template: true } }

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
    const planned = await planImport('hf://owner/repo', { backend }, parts, AbortSignal.timeout(60_000))
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
