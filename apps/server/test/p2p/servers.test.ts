import { eventually } from '@svc/test-kit'
import { piiEventList } from '@svc/wire/native'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { call } from '../support/test-app.ts'

const KEY = 'svc-key-of-the-far-server'
const OWN_KEY = 'svc-key-of-the-near-server'
const auth = { authorization: `Bearer ${KEY}` }
const ownAuth = { authorization: `Bearer ${OWN_KEY}` }
const flags = ['--p2p', '--federated', '--federated-check-interval=100ms', '--p2p-listen=127.0.0.1:0']
let far: TestServer
let near: TestServer
/** The port at which the near server reaches the far one. */
let tunnel: string

beforeAll(async () => {
  // It listens at another address than a server of this machine usually does.
  far = await startTestServer({
    flags: [...flags, '--trusted-proxies=127.0.0.0/8', '--address=127.0.0.2:0'],
    configFiles: { 'runtime_settings.json': JSON.stringify({ api_keys: [KEY] }) },
  })
  await far.model('far', { rules: [{ rpc: 'Predict*', do: { text: 'from afar' } }] })
  const token = (await far.call('/api/p2p/token', { headers: auth })).text
  near = await startTestServer({
    flags: [...flags, `--api-keys=${OWN_KEY}`],
    env: { SVC_P2P_TOKEN: token, SVC_P2P_API_KEY: KEY },
  })
  await eventually(async () => {
    const { nodes } = (await near.call('/api/p2p/federation', { headers: ownAuth })).json() as {
      nodes: { tunnelAddress: string; isOnline: boolean }[]
    }
    expect(nodes).toMatchObject([{ isOnline: true }])
    tunnel = nodes[0]?.tunnelAddress ?? ''
  })
})
afterAll(async () => void (await Promise.all([near.close(), far.close()])))

it('answers a request for a model of a member through its tunnel', async () => {
  await eventually(async () => {
    const reply = await near.chat('far', {}, ownAuth)
    expect([reply.status, reply.json()]).toMatchObject([200, { choices: [{ message: { content: 'from afar' } }] }])
  })
})

it('does not take members for this machine or a trusted proxy', async () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'models.example' }
  const change = (base: string, threads: number) =>
    call(base, '/api/settings', {
      method: 'POST',
      headers: { ...auth, ...forwarded, 'content-type': 'application/json' },
      body: JSON.stringify({ threads }),
    })
  expect((await change(far.url, 2)).status).toBe(200)
  expect((await change(tunnel, 3)).status).toBe(200)
  const reply = await far.call('/api/pii/events?kind=administration', { headers: auth })
  const { events } = piiEventList.parse(reply.json())
  expect(events.map(({ address }) => address)).toEqual(['p2p/127.0.0.1', '203.0.113.9'])
})

it('asks members for a key, and serves them nothing once nobody needs one', async () => {
  expect((await call(tunnel, '/v1/models')).status).toBe(401)
  expect((await far.post('/api/settings', { api_keys: [] }, auth)).status).toBe(200)
  await eventually(() => expect(call(tunnel, '/v1/models')).rejects.toThrow())
  // Connections that were open are of no use either.
  expect((await near.chat('far', {}, ownAuth)).status).toBeGreaterThanOrEqual(500)
})
