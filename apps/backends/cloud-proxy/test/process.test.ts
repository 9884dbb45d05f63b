import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createBackendClient, ensureSuccess } from '@svc/backend-client'
import { startUpstream, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

it('is a process that loads a model with the key of its environment, answers and stops', async () => {
  await using folder = await tempDir()
  await using provider = await startUpstream()
  const address = `unix:${folder.join('socket')}`
  const child = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', MAIN, '--addr', address], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOME_KEY: 'sk-1' },
  })
  const exited = once(child, 'exit')
  const client = createBackendClient({ address })
  try {
    await client.waitUntilReady({ signal: AbortSignal.timeout(60_000), exited })
    const proxy = { upstreamUrl: provider.origin, mode: 'translate', provider: 'provider_a', apiKeyEnv: 'SOME_KEY' }
    ensureSuccess(await client.loadModel({ Model: 'm', Proxy: proxy }))
    provider.enqueue({ body: '{"choices":[{"message":{"content":"ho"},"finish_reason":"stop"}]}' })
    expect((await client.predict({ Prompt: 'hi' })).message.toString()).toBe('ho')
    expect(provider.requests[0]?.header('authorization')).toEqual(['Bearer sk-1'])
  } finally {
    client.close()
    child.kill('SIGTERM')
  }
  expect(await exited).toEqual([0, null])
})
