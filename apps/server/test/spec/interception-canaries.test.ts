import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { askHttp1, askHttp2, type ConnectReply, connectTlsThrough } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, vi } from 'vitest'
import { CANARY_PATTERNS, canaryBodies, findLeak } from '../support/canary-bodies.ts'
import { type InterceptionWorld, LISTED, OTHER, startInterception } from '../support/interception-world.ts'
import { verifies } from './verifies.ts'

/** Bodies over both formats and all policies; with `SVC_LONG=1` 100,000, or `CANARY_BODIES`. */
const BODIES = Number(process.env.CANARY_BODIES) || (process.env.SVC_LONG === '1' ? 100_000 : 1200)
/** Number of parallel requests. */
const TOGETHER = 10

/** Hosts by the policy of the model that lists them. */
const POLICIES = [
  [LISTED, { detectors: ['masking'] }],
  [OTHER, { detectors: ['blocking'] }],
  ['api.openai.com', { detectors: ['masking'], reversible_redactions: true }],
] as const
const FORMATS = [
  { path: '/v1/chat/completions', scanned: 'chat-completions' },
  { path: '/v1/messages', scanned: 'messages' },
] as const

/** Both formats read this as a reply. */
const REPLY = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  content: [{ type: 'text', text: 'Hello' }],
})

vi.setConfig({ testTimeout: 7_200_000 })

/** Sends bodies over one kept HTTP/2 connection, and some over an HTTP/1.1 connection each. */
async function openClient(world: InterceptionWorld, host: string) {
  const open = (protocol: string) =>
    connectTlsThrough(world, world.target(host), { ca: world.ca, protocols: [protocol] })
  const tls = await open('h2')
  const session: ClientHttp2Session = connectHttp2(`https://${world.target(host)}`, { createConnection: () => tls })
  return {
    async send(path: string, body: string, overHttp1: boolean): Promise<ConnectReply> {
      const asked = { path, body, headers: { 'content-type': 'application/json' } }
      if (!overHttp1) return askHttp2(session, asked)
      const socket = await open('http/1.1')
      return askHttp1(socket, world.target(host), asked).finally(() => socket.destroy())
    },
    [Symbol.dispose]: () => session.destroy(),
  }
}

describe('generated bodies with canaries', () => {
  verifies(
    ['pii:route:intercepted', 'mitm:body:scanned'],
    'never reach an intercepted host, in both formats and over both protocols; a block sends it nothing',
    async () => {
      await using world = await startInterception()
      const pattern = async (name: string, action: string) =>
        world.patterns(
          name,
          Object.fromEntries(CANARY_PATTERNS.map(({ name: group, match }) => [group, match])),
          action,
        )
      await pattern('masking', 'mask')
      await pattern('blocking', 'block')
      for (const [index, [host, policy]] of POLICIES.entries()) {
        await world.claims(`guard-${index}`, [host], { enabled: true, ...policy })
      }
      world.upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: REPLY })
      let seen = 0
      const counts: Record<string, Record<number, number>> = {}
      for (const format of FORMATS) {
        for (const [host] of POLICIES) {
          using client = await openClient(world, host)
          await fc.assert(
            fc.asyncProperty(
              fc.array(canaryBodies(format, ['gpt']), { minLength: TOGETHER, maxLength: TOGETHER }),
              async (all) => {
                const replies = await Promise.all(
                  all.map(({ body }, index) => client.send(format.path, body, index === 0)),
                )
                for (const { status, body } of replies) {
                  if (status >= 400) expect(findLeak(body.toString())).toBeUndefined()
                  const key = `${format.path} ${host}`
                  counts[key] = { ...counts[key], [status]: (counts[key]?.[status] ?? 0) + 1 }
                }
                const reached = world.upstream.requests.slice(seen)
                seen = world.upstream.requests.length
                if (host === OTHER) expect(reached).toEqual([])
                for (const { text } of reached) expect(findLeak(text())).toBeUndefined()
                expect(findLeak(world.server.logLines.join('\n'))).toBeUndefined()
                world.server.logLines.length = 0
              },
            ),
            { numRuns: Math.ceil(BODIES / FORMATS.length / POLICIES.length / TOGETHER), endOnFailure: true },
          )
        }
      }
      if (process.env.CANARY_REPORT === '1') console.log(counts)
      for (const [key, count] of Object.entries(counts)) {
        if (key.endsWith(OTHER)) expect([key, Object.keys(count)]).toEqual([key, ['400']])
        else expect([key, (count[200] ?? 0) > 0]).toEqual([key, true])
      }
      expect(findLeak((await world.server.call('/api/pii/events?limit=10000')).text)).toBeUndefined()
      expect(findLeak((await world.server.call('/metrics')).text)).toBeUndefined()
    },
  )
})
