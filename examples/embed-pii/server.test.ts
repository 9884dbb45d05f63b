import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Starts the example as a program, runs a test against its address and stops it. */
async function withServer(test: (url: string) => Promise<void>): Promise<unknown> {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const program = fileURLToPath(new URL('server.ts', import.meta.url))
  const args = ['--conditions=@svc/source', '--import', tsx, program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    await test(`http://127.0.0.1:${line.replace('listening on ', '')}`)
    child.kill('SIGTERM')
    const [code] = await exited
    return code
  } finally {
    child.kill('SIGKILL')
  }
}

it('masks private text, passes the rest byte for byte, and refuses an unreadable body', async () => {
  const code = await withServer(async (url) => {
    const send = async (body: string) => {
      const reply = await fetch(url, { method: 'POST', body, headers: { connection: 'close' } })
      return { status: reply.status, text: await reply.text() }
    }
    const chat = (text: string) => `{"model": "m",  "messages": [{"role": "user", "content": ${JSON.stringify(text)}}]}`

    expect(await send(chat('I am Žofie Horáková. Ada Byron? Ada Byron!'))).toEqual({
      status: 200,
      text: chat('I am [REDACTED:ner:CUSTOMER]. [REDACTED:ner:CUSTOMER]? [REDACTED:ner:CUSTOMER]!'),
    })
    expect(await send(chat('Nobody.'))).toEqual({ status: 200, text: chat('Nobody.') })

    const image = '{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]}'
    expect(await send(image)).toEqual({
      status: 400,
      text: '{"error":{"type":"pii_blocked","message":"request blocked by content policy (sensitive data detected)"}}',
    })
    expect(await send('{"messages": ')).toMatchObject({ status: 400, text: expect.stringContaining('json_syntax') })
  })
  expect(code).toBe(0)
})
