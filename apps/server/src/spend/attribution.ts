import { createHmac } from 'node:crypto'
import type { Splice } from '@svc/json'
import { type NamedEndUser, readEndUser } from '../inference/core/end-user.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import type { RequestDocument } from '../inference/documents/request-document.ts'
import { readRequestTags, TAGS_HEADER } from './request-tags.ts'

/** For whom a request is, as usage and limits have it. */
export interface Attribution {
  /** The end user as it is stored: its name, or a hash of it. */
  readonly endUser: string | undefined
  /** Where the request names the end user. @default it does not */
  readonly named?: NamedEndUser | undefined
  /** Values by name. */
  readonly tags: Readonly<Record<string, string>>
}

/** How end users are stored. */
export type EndUserNames = 'plain' | 'hashed'

/** Gives end users the names under which they are stored. */
export interface EndUserNaming {
  /** The stored name of an end user whom a request names. */
  name(endUser: string): string
  /** The stored name of an end user whom a filter names: by its name or by its hash. */
  find(endUser: string): string
  /** The hash of an end user. */
  hash(endUser: string): string
}

/** Names up to this length are kept as they are. */
const PLAIN = /^[^\p{Cc}\p{Cs}]{1,200}$/u
const HASH = /^#[0-9a-f]{32}$/

/**
 * Names end users. A name that is long or has control characters is always kept as its hash.
 *
 * @param readKey gives the key of the hashes; called once, with the first hash
 */
export function createEndUserNaming(names: EndUserNames, readKey: () => Uint8Array): EndUserNaming {
  let key: Uint8Array | undefined
  const hash = (endUser: string): string => {
    key ??= readKey()
    return `#${createHmac('sha256', key).update(endUser).digest('hex').slice(0, 32)}`
  }
  // a name that looks like a hash must not pass for the one with that hash
  const name = (endUser: string): string =>
    names === 'plain' && PLAIN.test(endUser) && !HASH.test(endUser) ? endUser : hash(endUser)
  return { name, hash, find: (endUser) => (HASH.test(endUser) ? endUser : name(endUser)) }
}

/** Keeps all names as they are. */
export const PLAIN_NAMES: Pick<EndUserNaming, 'name'> = { name: (endUser) => endUser }

/**
 * Reads for whom a request is.
 *
 * @throws {SvcError} `invalid_tags` for a wrong header
 */
export function readAttribution(
  context: Pick<RequestContext, 'header' | 'endUser'>,
  document: Pick<RequestDocument, 'texts'>,
  naming: Pick<EndUserNaming, 'name'>,
): Attribution {
  const tags = readRequestTags(context.header(TAGS_HEADER))
  if (context.endUser !== undefined) return { endUser: context.endUser, tags }
  const named = readEndUser(document)
  return { endUser: named === undefined ? undefined : naming.name(named.name), named, tags }
}

/** Puts the hash of an end user in place of a name that the PII filter changes. @param naming without it, no end user */
export function hideFilteredName(
  attribution: Attribution | undefined,
  splices: readonly Splice[],
  naming: Pick<EndUserNaming, 'hash'> | undefined,
): Attribution | undefined {
  if (attribution?.named === undefined) return attribution
  const { name, start, end } = attribution.named
  const isChanged = splices.some((splice) => splice.start < end && splice.end > start)
  return isChanged ? { ...attribution, endUser: naming?.hash(name) } : attribution
}
