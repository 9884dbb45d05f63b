import { ensureSuccess } from '@svc/backend-client'
import { startBackendProcess, startPrivateUpstream, startUpstream } from '@svc/test-kit'
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
    await using world = await startPrivateUpstream({
      program: new URL('../src/main.ts', import.meta.url),
      body: '{"choices":[{"text":"ho","finish_reason":"stop"}]}',
    })
    const { upstream, files, ask } = world
    expect(await ask({ [variable]: files.authority })).toBe('ho')
    if (variable === 'SSL_CERT_FILE') expect(await ask({ [variable]: files.empty })).toContain(variable)
    expect(upstream.requests).toHaveLength(1)
  },
)
