import { createHash } from 'node:crypto'
import type { Header, Upstream, UpstreamReply, UpstreamRequest } from '@svc/http-client'
import { toObjectPath } from './object-key.ts'
import { readFailure, type StorageFailure, toStorageError } from './storage-errors.ts'
import type { StorageSettings } from './storage-settings.ts'

/** A call of a storage. */
export interface StorageCall extends Pick<UpstreamRequest, 'method' | 'body' | 'timeoutMs'> {
  /** The object; without one the bucket is meant. */
  readonly key?: string | undefined
  /** Encoded, without `?`. @default none */
  readonly query?: string | undefined
  /** @default none */
  readonly headers?: readonly Header[] | undefined
}

/** A reply of a status below 300, or the failure that the storage tells. */
export type StorageReply =
  | { readonly isSuccess: true; readonly reply: UpstreamReply }
  | ({ readonly isSuccess: false } & StorageFailure)

/** Sends one signed call. @throws {SvcError} `storage_away`, `storage_refused`, `bad_object_key`; the signal's reason */
export type SendToStorage = (call: StorageCall, signal: AbortSignal) => Promise<StorageReply>

/** Creates the calls of a storage. Redirects are failures, so a signature goes to no other host. */
export function createStorageCalls(settings: StorageSettings, client: Pick<Upstream, 'send'>): SendToStorage {
  const keys = new Map<string, ArrayBuffer>()
  let keysDay = ''

  async function sign({ method, key, query, headers = [], body }: StorageCall): Promise<UpstreamRequest> {
    const { AwsV4Signer } = await import('./sign-library.ts')
    const path = key === undefined ? '' : `/${toObjectPath(key)}`
    const day = new Date().toISOString().slice(0, 10)
    // The library keeps a signing key for each day.
    if (day !== keysDay) keys.clear()
    keysDay = day
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signer = new AwsV4Signer({
      method,
      url: `${settings.bucketUrl}${path}${query === undefined ? '' : `?${query}`}`,
      headers: [...headers.map(([name, value]): [string, string] => [name, value]), ['x-amz-content-sha256', hash]],
      accessKeyId: settings.accessKey,
      secretAccessKey: settings.secretKey,
      service: 's3',
      region: settings.region,
      cache: keys,
    })
    const signed = await signer.sign()
    return { method, url: signed.url, headers: [...signed.headers], body }
  }

  return async (call, signal) => {
    const request = await sign(call)
    try {
      const reply = await client.send({ ...request, timeoutMs: call.timeoutMs }, { signal })
      if (reply.status < 300) return { isSuccess: true, reply }
      return { isSuccess: false, ...(await readFailure(reply)) }
    } catch (error) {
      signal.throwIfAborted()
      throw toStorageError(error)
    }
  }
}
