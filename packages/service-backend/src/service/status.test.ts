import { startUpstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { json, startWorld } from '../../test/service-world.ts'

const signal = new AbortController().signal

describe('replies of an instance', () => {
  it.each([
    [501, 'not_implemented'],
    [500, 'unavailable'],
    [502, 'unavailable'],
    [503, 'unavailable'],
    [599, 'unavailable'],
    [301, 'unavailable'],
    [304, 'unavailable'],
    [429, 'rate_limited'],
    [400, 'invalid_request'],
    [401, 'invalid_request'],
    [403, 'invalid_request'],
    [405, 'invalid_request'],
    [413, 'invalid_request'],
    [422, 'invalid_request'],
  ])('with status %i is %s', async (status, kind) => {
    await using world = await startWorld()
    world.instance.enqueue(json({ error: { message: 'because' } }, status))
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({
      kind,
      code: `upstream_${kind}`,
      ...(status === 304 ? {} : { message: 'because' }),
      details: { status },
    })
    expect(world.instance.requests).toHaveLength(1)
  })

  it('where it has no such route is not implemented, where it has no such model a wrong request', async () => {
    await using world = await startWorld()
    world.instance.enqueue(
      json({ error: { message: 'Resource not found', code: 404 } }, 404),
      { status: 404, body: '404 page not found' },
      json({ error: { message: 'Invalid URL (POST /v1/tokenize)', type: 'invalid_request_error' } }, 404),
      json({ detail: 'Not Found' }, 404),
      json({ error: { message: 'model "m" not found', code: 'model_not_found' } }, 404),
    )
    const kinds: unknown[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      await world.service.tokenize('x', { signal }).catch((error: { kind: string }) => kinds.push(error.kind))
    }
    expect(kinds).toEqual([...Array(4).fill('not_implemented'), 'invalid_request'])
  })

  it('says how long to wait', async () => {
    await using world = await startWorld()
    world.instance.enqueue({ status: 429, headers: { 'retry-after': '7' } })
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 7000,
      message: 'the upstream answered with status 429',
    })
  })

  it.each([
    [{ error: { message: 'nested' } }, 'nested'],
    [{ error: 'flat' }, 'flat'],
    [{ message: 'bare' }, 'bare'],
    [{ other: 1 }, '{"other":1}'],
  ])('in the words of %j is quoted', async (body, message) => {
    await using world = await startWorld()
    world.instance.enqueue(json(body, 400))
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({ message })
  })

  it('is quoted with at most 500 bytes, and never with the key', async () => {
    await using world = await startWorld({ apiKeyEnv: 'KEY' })
    world.instance.enqueue(json({ error: { message: `bad sk-secret ${'é'.repeat(1000)}` } }, 401))
    const error = await world.service.tokenize('x', { signal }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ message: expect.stringMatching(/^bad \[key\] é+$/) })
    expect(Buffer.byteLength((error as Error).message)).toBeLessThanOrEqual(500)
  })

  it('is not followed elsewhere, and the key goes nowhere', async () => {
    await using world = await startWorld({ apiKeyEnv: 'KEY' })
    await using other = await startUpstream()
    world.instance.enqueue({ status: 307, headers: { location: other.origin } })
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(other.requests).toEqual([])
  })

  it.each(['', 'not JSON', '[]', '{}', '{"tokens":"x"}', '{"tokens":["x"]}'])('as %j cannot be read', async (body) => {
    await using world = await startWorld()
    world.instance.enqueue({ body })
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({
      kind: 'internal',
      code: 'upstream_unreadable',
    })
  })
})

describe('an instance', () => {
  it('that is gone is unavailable', async () => {
    await using world = await startWorld()
    await world.instance.close()
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'upstream_unavailable',
    })
  })

  it('that is cut off in the middle is unavailable', async () => {
    await using world = await startWorld()
    world.instance.enqueue({ headers: { 'content-length': '100' }, body: '{"tok', end: 'cut' })
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('that takes too long is a timeout', async () => {
    await using world = await startWorld({ requestTimeoutSeconds: 0.05 })
    world.instance.enqueue({ body: [new Promise(() => {})] })
    await expect(world.service.tokenize('x', { signal })).rejects.toMatchObject({ kind: 'timeout' })
  })

  it('is left when the caller leaves', async () => {
    await using world = await startWorld()
    world.instance.enqueue({ body: [new Promise(() => {})] })
    const controller = new AbortController()
    const asking = world.service.tokenize('x', { signal: controller.signal })
    const request = await world.instance.request(0)
    controller.abort()
    await expect(asking).rejects.toMatchObject({ kind: 'cancelled' })
    expect(await request.outcome).toBe('aborted')
  })

  it("gets the key, the client's trace and the hop count", async () => {
    await using world = await startWorld({ apiKeyEnv: 'KEY' })
    world.instance.replyWith(json({ tokens: [] }))
    await world.service.tokenize('x', { signal })
    const client = (name: string) =>
      ({ 'x-svc-hop': '2', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', cookie: 'c' })[name]
    await world.service.tokenize('x', { signal, client })
    const [first, second] = world.instance.requests
    expect(first?.header('authorization')).toEqual(['Bearer sk-secret'])
    expect(first?.header('user-agent')).toEqual(['svc'])
    expect(first?.header('x-svc-hop')).toEqual(['1'])
    expect(second?.header('x-svc-hop')).toEqual(['3'])
    expect(second?.header('traceparent')).toEqual(['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'])
    expect(second?.header('cookie')).toEqual([])
    const round = world.service.tokenize('x', { signal, client: () => '4' })
    await expect(round).rejects.toMatchObject({ kind: 'loop' })
    expect(world.instance.requests).toHaveLength(2)
  })
})
