import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BackendClient, createBackendClient } from '@svc/backend-client'
import { expect, it } from 'vitest'

/** Starts the example as a server does, runs a test against it and stops it. */
async function withBackend(test: (client: BackendClient) => Promise<void>): Promise<unknown> {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const program = fileURLToPath(new URL('backend.ts', import.meta.url))
  const args = ['--conditions=@svc/source', '--import', tsx, program, '--addr', '127.0.0.1:0']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    await using client = createBackendClient({ address: line.replace('listening on ', '') })
    await test(client)
    child.kill('SIGTERM')
    const [code] = await exited
    return code
  } finally {
    child.kill('SIGKILL')
  }
}

it('loads, answers whole and in pieces, and stops', async () => {
  const code = await withBackend(async (client) => {
    await client.waitUntilReady({ signal: AbortSignal.timeout(120_000) })
    await expect(client.predict({ Prompt: 'too early' })).rejects.toMatchObject({ code: 'model_not_loaded' })
    expect(await client.loadModel({ Model: 'parrot' })).toEqual({ success: true, message: 'parrot is loaded' })

    const whole = await client.predict({ Prompt: 'system\none two three', ModelIdentity: 'parrot' })
    expect(whole).toMatchObject({ message: Buffer.from('three two one'), tokens: 3 })

    const pieces: string[] = []
    for await (const { message } of client.predictStream({ Prompt: 'one two three' })) pieces.push(message.toString())
    expect(pieces).toEqual(['three', ' two', ' one'])

    await expect(client.predict({ ModelIdentity: 'other' })).rejects.toMatchObject({ code: 'model_identity_mismatch' })
    await expect(client.embedding({})).rejects.toMatchObject({ code: 'unimplemented' })
  })
  expect(code).toBe(0)
})
