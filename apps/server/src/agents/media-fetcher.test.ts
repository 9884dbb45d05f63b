import { SvcError } from '@svc/errors'
import { startHttpServer } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { NO_MEDIA } from './job.ts'
import { createMediaFetcher } from './media-fetcher.ts'
import { toChatMessages, toUserMessage } from './run-messages.ts'

const options = { clock: systemClock, log: silentLogger, userAgent: 'test' }
const { signal } = new AbortController()

it('media of a task are fetched with their headers, and handed over beside the prompt', async () => {
  const seen: string[] = []
  await using http = await startHttpServer((request, response) => {
    seen.push(`${request.url} ${request.headers['x-key']} ${request.headers.authorization}`)
    if (request.url?.startsWith('/none')) response.writeHead(404).end()
    else response.end(`bytes of ${request.url}`)
  })
  const outbound = createOutboundClient({ ...options, allow: { cidrs: ['127.0.0.0/8'], hosts: [] } })
  const fetcher = createMediaFetcher(outbound)
  const headers = { 'X-Key': 'k', Authorization: 'Bearer t' }
  const image = { type: 'image', url: `${http.origin}/a.png`, headers } as const
  const given = { ...NO_MEDIA, images: ['data:image/png;base64,AAAA'], audios: ['UklGRg=='] }
  const media = await fetcher.fetch({ ...given, sources: [image] }, { signal })
  expect(seen).toEqual(['/a.png k Bearer t'])
  expect(media).toEqual({
    images: ['data:image/png;base64,AAAA', Buffer.from('bytes of /a.png').toString('base64')],
    ...{ videos: [], audios: ['UklGRg=='], files: [] },
  })
  const [message] = toChatMessages([toUserMessage('Look', media)])
  expect(message?.content).toBe('Look')
  expect(message?.attachments?.map(({ kind, source }) => [kind, Object.keys(source)])).toEqual([
    ['image', ['url']],
    ['image', ['url']],
    ['audio', ['base64']],
  ])
  const missing = fetcher.fetch(
    { ...NO_MEDIA, sources: [{ type: 'file', url: `${http.origin}/none?key=hidden` }] },
    { signal },
  )
  const refusal = (await missing.catch((error: unknown) => error)) as Error
  expect(refusal.message).toBe(`${http.origin}/none answered with the status 404`)
})

it('addresses that are not public are refused', async () => {
  const fetcher = createMediaFetcher(createOutboundClient({ ...options, allow: { cidrs: [], hosts: [] } }))
  const fetched = fetcher.fetch({ ...NO_MEDIA, sources: [{ type: 'image', url: 'http://127.0.0.1:9/' }] }, { signal })
  const refusal = await fetched.catch((error: unknown) => error)
  expect(SvcError.is(refusal) && refusal.code).toBe('url_not_allowed')
})
