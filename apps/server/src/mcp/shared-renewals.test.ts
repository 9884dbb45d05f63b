import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { shareRenewals } from './shared-renewals.ts'

it('requests share the renewal of their token, for some seconds', async () => {
  const asked: string[] = []
  let fails = false
  const clock = createFakeClock()
  const fetch = shareRenewals(async (_, init) => {
    asked.push(String(init?.body))
    if (fails) throw new Error('away')
    return Response.json({ count: asked.length })
  }, clock)
  const send = async (fields: Record<string, string>): Promise<unknown> =>
    (await fetch('https://a.example/token', { method: 'POST', body: new URLSearchParams(fields) })).json()
  const renewal = { grant_type: 'refresh_token', refresh_token: 'r1' }
  expect(await Promise.all([send(renewal), send(renewal)])).toEqual([{ count: 1 }, { count: 1 }])
  expect(await send(renewal)).toEqual({ count: 1 })
  expect(await send({ ...renewal, refresh_token: 'r2' })).toEqual({ count: 2 })
  await clock.advance(11_000)
  fails = true
  await expect(send({ ...renewal, refresh_token: 'r2' })).rejects.toThrow('away')
  fails = false
  expect(await send({ ...renewal, refresh_token: 'r2' })).toEqual({ count: 4 })
  const code = { grant_type: 'authorization_code', code: 'c' }
  expect([await send(code), await send(code)]).toEqual([{ count: 5 }, { count: 6 }])
})
