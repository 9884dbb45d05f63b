import { request } from 'node:http'
import { eventually } from '@svc/test-kit'
import { describe, expect } from 'vitest'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

describe('a load that fails', () => {
  verifies(
    ['errors:load:in-log', 'errors:retry:permanent'],
    'is explained in the log, and not worth another try',
    async () => {
      await using server = await startTestServer()
      await server.model('m', { rules: [{ rpc: 'LoadModel', do: { refuse: 'no such architecture' } }] })
      const reply = await server.chat('m')
      expect([reply.status, reply.headers['x-should-retry']]).toEqual([500, 'false'])
      expect(server.logLines.join('')).toContain('no such architecture')
    },
  )
})

describe('a client that leaves', () => {
  verifies('errors:status:client-gone', 'is 499 in the log', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'Predict', do: { hang: true } }] })
    const { hostname, port } = new URL(server.url)
    const outgoing = request({ hostname, port, path: '/v1/chat/completions', method: 'POST', agent: false })
    outgoing.on('error', () => undefined)
    outgoing.end(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }))
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc === 'Predict')).toBe(true))
    expect(server.logLines.join('')).not.toContain('"status":499')
    outgoing.destroy()
    await eventually(() => expect(server.logLines.join('')).toContain('"status":499'))
  })
})
