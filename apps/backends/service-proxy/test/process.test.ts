import { writeFile } from 'node:fs/promises'
import { ensureSuccess } from '@svc/backend-client'
import { createTestCa, startBackendProcess, startUpstream, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

it('is a process that loads a model with the key of its environment, answers and stops', async () => {
  await using instance = await startUpstream()
  await using backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url), { SOME_KEY: 'sk-1' })
  const proxy = { upstreamUrl: instance.origin, apiKeyEnv: 'SOME_KEY' }
  ensureSuccess(await backend.client.loadModel({ Model: 'm', Proxy: proxy }))
  instance.enqueue({ body: '{"choices":[{"text":"ho","finish_reason":"stop"}]}' })
  expect((await backend.client.predict({ Prompt: 'hi' })).message.toString()).toBe('ho')
  expect(instance.requests[0]?.header('authorization')).toEqual(['Bearer sk-1'])
  expect(await backend.stop()).toBe(0)
})

it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])(
  'trusts authorities that %s names, as the server does',
  async (variable) => {
    await using folder = await tempDir()
    const ca = createTestCa()
    await writeFile(folder.join('authority.pem'), ca.cert)
    await writeFile(folder.join('empty.pem'), '')
    await using instance = await startUpstream({ protocol: 'https', ca })
    instance.replyWith({ body: '{"choices":[{"text":"ho","finish_reason":"stop"}]}' })
    const ask = async (env: Record<string, string>): Promise<string> => {
      await using backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url), env)
      ensureSuccess(await backend.client.loadModel({ Model: 'm', Proxy: { upstreamUrl: instance.origin } }))
      const reply = await backend.client.predict({ Prompt: 'hi' }).catch((error: Error) => error)
      return reply instanceof Error ? backend.output() : reply.message.toString()
    }
    expect(await ask({ [variable]: folder.join('authority.pem') })).toBe('ho')
    if (variable === 'SSL_CERT_FILE') expect(await ask({ [variable]: folder.join('empty.pem') })).toContain(variable)
    expect(instance.requests).toHaveLength(1)
  },
)
