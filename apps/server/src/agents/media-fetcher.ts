import { SvcError } from '@svc/errors'
import type { OutboundClient } from '../outbound/client.ts'
import type { JobMedia } from './job.ts'
import { AGENT_LIMITS, type MediaAddress, type MediaType } from './task.ts'

/** Fetches the media that a task names by address. */
export interface MediaFetcher {
  /**
   * Gives the media of a job with those of its task added, as base64.
   *
   * @throws {SvcError} as the outbound client; `upstream_failed` for another status than 200; `too_large`
   */
  fetch(media: JobMedia, options: { readonly signal: AbortSignal }): Promise<Omit<JobMedia, 'sources'>>
}

const FETCH_MS = 60_000
const MAX_REDIRECTS = 3

const LISTS = { image: 'images', video: 'videos', audio: 'audios', file: 'files' } as const satisfies Record<
  MediaType,
  keyof JobMedia
>

/** Creates the fetcher on the guarded client. */
export function createMediaFetcher(outbound: Pick<OutboundClient, 'fetch'>): MediaFetcher {
  async function read({ url, headers = {} }: MediaAddress, maxBytes: number, signal: AbortSignal): Promise<string> {
    const reply = await outbound.fetch(url, {
      signal,
      trust: 'public',
      maxBytes,
      timeoutMs: FETCH_MS,
      redirects: MAX_REDIRECTS,
      ...splitHeaders(url, headers),
    })
    await using response = reply
    if (response.status !== 200) {
      throw new SvcError('upstream_failed', `${shorten(url)} answered with the status ${response.status}`, {
        code: 'fetch_failed',
      })
    }
    return Buffer.from(await response.bytes()).toString('base64')
  }

  return {
    async fetch({ sources, ...media }, { signal }) {
      const all = {
        images: [...media.images],
        videos: [...media.videos],
        audios: [...media.audios],
        files: [...media.files],
      }
      let left: number = AGENT_LIMITS.mediaBytes
      for (const source of sources) {
        const base64 = await read(source, Math.floor((left * 3) / 4), signal)
        left = Math.max(1, left - base64.length)
        all[LISTS[source.type]].push(base64)
      }
      return all
    },
  }
}

/** Credentials go to the origin of the address only. */
function splitHeaders(url: string, headers: Readonly<Record<string, string>>) {
  const others: Record<string, string> = {}
  let authorization: string | undefined
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'authorization') authorization = value
    else others[name] = value
  }
  const credentials = authorization === undefined ? undefined : { origin: new URL(url).origin, authorization }
  return { headers: others, passesHeaders: true, credentials }
}

/** An address without its query, which may hold a key. */
function shorten(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
