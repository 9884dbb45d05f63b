import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { listen } from './listen.ts'

describe('drain', () => {
  it('ends connections that never carried a request, and lets a running reply finish', async () => {
    let finish = (): void => undefined
    const running = new Promise<void>((resolve) => {
      finish = resolve
    })
    const app = new Hono().get('/slow', async (context) => {
      await running
      return context.text('done')
    })
    const listener = await listen(app as never, { host: '127.0.0.1', port: 0 })
    const unused = connect(listener.port, '127.0.0.1')
    await new Promise((resolve) => unused.once('connect', resolve))
    const reply = fetch(`${listener.url}/slow`)
    await wait(50)
    const closed = new Promise((resolve) => unused.once('close', resolve))
    const drained = listener.drain()
    await closed
    finish()
    expect(await (await reply).text()).toBe('done')
    await drained
  })
})
