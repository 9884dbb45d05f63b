import { realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import { resolveUri, type UriServices } from '../downloads/resolve-uri.ts'
import { toReason } from '../files/file-error.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import { parseImageReference } from '../oci/image-reference.ts'
import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import type { Trust } from '../outbound/failures.ts'
import { readImageText } from './image-text.ts'

/** Parts of a read of a gallery. */
export interface AddressParts {
  readonly client: OutboundClient
  readonly services: () => UriServices
  readonly places: Pick<OwnPlaces, 'holdsFile'>
}

/** Limits and purpose of a read. */
export interface AddressOptions {
  /** Whether the operator or somebody else chose the address, for forms that name a host. */
  readonly trust: Trust
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Name of the text, for messages: `the gallery`. */
  readonly what: string
  readonly signal: AbortSignal
}

/** A text, and the address that others in it are relative to. */
export interface AddressContent {
  readonly bytes: Uint8Array
  /** Resolves a relative address in the content. @throws {SvcError} `invalid_uri` */
  resolve(relative: string): { readonly uri: string; readonly trust: Trust }
}

const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/**
 * Reads the text behind an address: over HTTP, at the code host or the model hub, in a file below the models folder, or in
 * an image of a registry.
 *
 * @throws {SvcError} `invalid_request` (`invalid_uri`, `invalid_file`); `upstream_failed` (`gallery_refused`); of the client
 *   and the registry
 */
export async function readAddress(uri: string, options: AddressOptions, parts: AddressParts): Promise<AddressContent> {
  const { trust, maxBytes, timeoutMs, what, signal } = options
  const resolved = resolveUri(uri, trust, parts.services())
  switch (resolved.kind) {
    case 'http': {
      const { source } = resolved
      const limits = { maxBytes, timeoutMs, redirects: MAX_REDIRECTS, credentials: source.credentials } as const
      await using reply = await parts.client.fetch(source.url, { signal, trust: source.trust, ...limits })
      if (reply.status !== 200) {
        throw new SvcError('upstream_failed', `${what} answers with status ${reply.status}`, {
          code: 'gallery_refused',
        })
      }
      return { bytes: await reply.bytes(), resolve: (relative) => resolveAgainst(source.url, relative, source.trust) }
    }
    case 'file':
      return {
        bytes: await readInside(resolved.path, options, parts),
        resolve: (relative) => ({
          uri: WITH_SCHEME.test(relative) ? relative : `file://${join(dirname(resolved.path), relative)}`,
          trust: 'public',
        }),
      }
    case 'oci': {
      const { credentials } = parts.services()
      const bytes = await readImageText(resolved.reference, { ...options, client: parts.client, credentials })
      return { bytes, resolve: (relative) => ({ uri: relative, trust: 'public' }) }
    }
    case 'oci-file':
    case 'ollama':
      throw formNotAllowed(what)
  }
}

/**
 * Checks the form of an address without reading it.
 *
 * @throws {SvcError} `invalid_request` for one that {@link readAddress} can never read
 */
export function checkAddress(
  uri: string,
  { trust, what }: Pick<AddressOptions, 'trust' | 'what'>,
  { services }: Pick<AddressParts, 'services'>,
): void {
  const resolved = resolveUri(uri, trust, services())
  if (resolved.kind === 'oci') parseImageReference(resolved.reference)
  else if (resolved.kind === 'oci-file' || resolved.kind === 'ollama') throw formNotAllowed(what)
}

function formNotAllowed(what: string): SvcError {
  return new SvcError('invalid_request', `an address of this form is not allowed for ${what}`, { code: 'invalid_uri' })
}

/** An address of another origin was not chosen by the operator. */
function resolveAgainst(base: string, relative: string, trust: Trust): { readonly uri: string; readonly trust: Trust } {
  if (WITH_SCHEME.test(relative) && !/^https?:/i.test(relative)) return { uri: relative, trust: 'public' }
  if (!URL.canParse(relative, base)) {
    throw new SvcError('invalid_request', 'the reference of the gallery is not an address', { code: 'invalid_uri' })
  }
  const { href, origin } = new URL(relative, base)
  return { uri: href, trust: origin === new URL(base).origin ? trust : 'public' }
}

/** Reads a file below the models folder, links followed. Files of the server are refused. */
async function readInside(
  path: string,
  { maxBytes, what }: AddressOptions,
  { services, places }: AddressParts,
): Promise<Uint8Array> {
  const refuse = (reason: string): SvcError =>
    new SvcError('invalid_request', `${what} cannot be read: ${reason}`, { code: 'invalid_file' })
  const [root, real] = await Promise.all([realpath(services().modelsPath), realpath(path)]).catch((error: unknown) => {
    throw refuse(toReason(error))
  })
  if (!real.startsWith(root + sep) || (await places.holdsFile(real))) throw refuse('it lies outside the models folder')
  const read = await readRegularFile(real, { maxBytes, followsLink: false }).catch((error: unknown) => {
    throw refuse(toReason(error))
  })
  if (typeof read === 'string') throw refuse(read)
  return read
}
