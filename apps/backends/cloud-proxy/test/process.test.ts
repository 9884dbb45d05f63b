import { writeFile } from 'node:fs/promises'
import { ensureSuccess } from '@svc/backend-client'
import { createTestCa, startBackendProcess, startUpstream, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

it('is a process that loads a model with the key of its environment, answers and stops', async () => {
  await using provider = await startUpstream()
  await using backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url), { SOME_KEY: 'sk-1' })
  const proxy = { upstreamUrl: provider.origin, mode: 'translate', provider: 'provider_a', apiKeyEnv: 'SOME_KEY' }
  ensureSuccess(await backend.client.loadModel({ Model: 'm', Proxy: proxy }))
  provider.enqueue({ body: '{"choices":[{"message":{"content":"ho"},"finish_reason":"stop"}]}' })
  expect((await backend.client.predict({ Prompt: 'hi' })).message.toString()).toBe('ho')
  expect(provider.requests[0]?.header('authorization')).toEqual(['Bearer sk-1'])
  expect(await backend.stop()).toBe(0)
})

it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])(
  'trusts authorities that %s names, as the server does',
  async (variable) => {
    await using folder = await tempDir()
    const ca = createTestCa()
    await writeFile(folder.join('authority.pem'), ca.cert)
    await writeFile(folder.join('empty.pem'), '')
    await using provider = await startUpstream({ protocol: 'https', ca })
    provider.replyWith({ body: '{"choices":[{"message":{"content":"ho"},"finish_reason":"stop"}]}' })
    const ask = async (env: Record<string, string>): Promise<string> => {
      await using backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url), env)
      ensureSuccess(
        await backend.client.loadModel({
          Model: 'm',
          Proxy: { upstreamUrl: provider.origin, mode: 'translate', provider: 'provider_a' },
        }),
      )
      const reply = await backend.client.predict({ Prompt: 'hi' }).catch((error: Error) => error)
      return reply instanceof Error ? backend.output() : reply.message.toString()
    }
    expect(await ask({ [variable]: folder.join('authority.pem') })).toBe('ho')
    if (variable === 'SSL_CERT_FILE') expect(await ask({ [variable]: folder.join('empty.pem') })).toContain(variable)
    expect(provider.requests).toHaveLength(1)
  },
)
