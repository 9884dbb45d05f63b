import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { backendMethods } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import type { RpcName } from './hostile-backend.ts'
import { BROKEN_FRAMINGS, type BrokenFraming, startBrokenFraming } from './hostile-framing.ts'
import { HEALTHY } from './hostile-messages.ts'

const asIs = (bytes: Buffer) => bytes

function call(client: Client, rpc: RpcName, deadlineMs = 20_000): Promise<Buffer> {
  const { path } = backendMethods[rpc]
  const options = { deadline: Date.now() + deadlineMs }
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), new Metadata(), options, (error, reply) =>
      error === null && reply !== undefined ? resolve(reply) : reject(error),
    )
  })
}

const BELOW_HTTP2: readonly BrokenFraming[] = ['hangs-up', 'mute', 'not-http2', 'noise']

describe('startBrokenFraming', () => {
  it.each(BROKEN_FRAMINGS)('%s: no client takes the answer for a good one', async (framing) => {
    await using backend = await startBrokenFraming({ framing })
    const client = new Client(backend.address, credentials.createInsecure())
    // A silent peer runs into the time limit; every other one is refused at once.
    await expect(call(client, 'predict', framing === 'mute' ? 300 : undefined)).rejects.toSatisfy(
      (error) => error.code !== status.OK,
    )
    client.close()
  })

  it.each(BROKEN_FRAMINGS.filter((framing) => !BELOW_HTTP2.includes(framing)))(
    '%s: yet it is in good health',
    async (framing) => {
      await using backend = await startBrokenFraming({ framing })
      const client = new Client(backend.address, credentials.createInsecure())
      expect(await call(client, 'health')).toEqual(HEALTHY)
      client.close()
    },
  )

  it('can have its health broken too', async () => {
    await using backend = await startBrokenFraming({ framing: 'odd-status', healthy: [] })
    const client = new Client(backend.address, credentials.createInsecure())
    await expect(call(client, 'health')).rejects.toThrow()
    client.close()
  })
})
