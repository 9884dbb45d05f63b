import { createHash } from 'node:crypto'
import { type TempDir, tempDir } from '@svc/test-kit'
import { systemClock } from '../../clock.ts'
import { openClient } from '../../outbound/__fixtures__/test-client.ts'
import type { OutboundClientOptions } from '../../outbound/client.ts'
import type { LogFields } from '../../ports.ts'
import { createDownloader, type Downloader, type DownloaderOptions } from '../downloader.ts'

/** A downloader and a folder for its files. */
export interface DownloadWorld extends AsyncDisposable {
  readonly dir: TempDir
  readonly downloader: Downloader
  readonly signal: AbortSignal
  readonly logged: LogFields[]
}

/** A downloader that waits next to nothing before it tries again. */
export async function openDownloads(
  options: Partial<DownloaderOptions> = {},
  clientOptions: Partial<OutboundClientOptions> = {},
): Promise<DownloadWorld> {
  const dir = await tempDir()
  const logged: LogFields[] = []
  const keep = (fields: LogFields): void => void logged.push(fields)
  const { client } = openClient(clientOptions)
  const logger = { debug: keep, info: keep, warn: keep, error: keep }
  return {
    dir,
    logged,
    downloader: createDownloader({ client, clock: systemClock, logger, retryMs: 1, ...options }),
    signal: new AbortController().signal,
    [Symbol.asyncDispose]: () => dir.close(),
  }
}

/** Bytes that do not repeat, from a seed. */
export function noise(bytes: number, seed = 1): Buffer {
  const content = Buffer.alloc(bytes)
  let state = seed
  for (let index = 0; index + 4 <= bytes; index += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    content.writeInt32LE(state, index)
  }
  return content
}

/** The SHA-256 of bytes in hexadecimal digits. */
export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
