import { hash } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { Credentials } from '../downloads/credentials.ts'
import type { DownloadSource } from '../downloads/download-source.ts'
import { MAX_REDIRECTS, type OutboundClient, type OutboundRequest } from '../outbound/client.ts'
import { nameFetchFailure } from '../outbound/failures.ts'
import type { OutboundResponse } from '../outbound/response.ts'
import { formatImageReference, type ImageReference, isDigest } from './image-reference.ts'
import { type ImageSignature, SIMPLE_SIGNING_TYPE, toImageSignature } from './image-signature.ts'
import { findRegistryCredentials, mayGetCredentials, readChallenge, toRegistryOrigin } from './registry-access.ts'

/** A layer of an image, as its manifest lists it. */
export interface ImageLayer {
  readonly digest: string
  readonly sizeBytes: number
  readonly mediaType: string
}

/** The largest layer that is a file of its own and no archive; undefined where all are archives. */
export function findRawLayer(layers: readonly ImageLayer[]): ImageLayer | undefined {
  return layers
    .filter(({ mediaType }) => !/\btar\b/.test(mediaType))
    .toSorted((one, other) => other.sizeBytes - one.sizeBytes)[0]
}

/** An image for this machine. */
export interface ImageManifest {
  /** Digest of the content that the tag pointed at when it was read. Everything else depends on it. */
  readonly digest: string
  readonly layers: readonly ImageLayer[]
}

/** Reads images of one pull from a registry. */
export interface RegistryClient {
  /** The image of a reference for this machine. Its digest is fixed with the first reply. */
  readManifest(reference: ImageReference, options: { readonly signal: AbortSignal }): Promise<ImageManifest>
  /** The signatures that a registry has for a digest; none where it has none. */
  readSignatures(
    reference: ImageReference,
    digest: string,
    options: { readonly signal: AbortSignal },
  ): Promise<readonly ImageSignature[]>
  /** Where a layer is fetched from, with the token of its repository. */
  layerSource(reference: ImageReference, layer: ImageLayer): DownloadSource
}

/** Options of {@link createRegistryClient}. */
export interface RegistryClientOptions {
  readonly client: OutboundClient
  readonly credentials: Credentials
  /** @default of this machine */
  readonly platform?: { readonly os: string; readonly architecture: string } | undefined
}

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024
const MAX_TOKEN_BYTES = 256 * 1024
const MAX_LEVELS = 3
const MAX_LAYERS = 500
const MAX_SIGNATURES = 20
const FETCH_MS = 60_000
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle'
const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]

/** A client that holds the tokens of one pull. */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  return new Registry(options)
}

class Registry implements RegistryClient {
  readonly #client: OutboundClient
  readonly #credentials: Credentials
  readonly #platform: { readonly os: string; readonly architecture: string }
  /** The value of `Authorization` by registry and repository. */
  readonly #tokens = new Map<string, string>()
  /** The host of a token service that did not get the credentials of its registry. */
  #withheldFrom: string | undefined

  constructor({ client, credentials, platform }: RegistryClientOptions) {
    this.#client = client
    this.#credentials = credentials
    this.#platform = platform ?? { os: process.platform, architecture: toArchitecture(process.arch) }
  }

  async readManifest(reference: ImageReference, { signal }: { readonly signal: AbortSignal }): Promise<ImageManifest> {
    let wanted: string = reference.digest ?? reference.tag
    let top: string | undefined
    for (let level = 0; level < MAX_LEVELS; level += 1) {
      const { digest, value } = await this.#readDocument(reference, wanted, signal)
      top ??= digest
      const manifests = readList(value, 'manifests')
      if (manifests === undefined) return { digest: top, layers: toLayers(value, reference) }
      wanted = this.#choosePlatform(manifests, reference)
    }
    throw broken(reference, `its lists lead through more than ${MAX_LEVELS} levels`)
  }

  async readSignatures(
    reference: ImageReference,
    digest: string,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<readonly ImageSignature[]> {
    const base = `${toRegistryOrigin(reference.registry)}/v2/${reference.repository}`
    // Registries without the list of referrers keep it under a tag.
    const list =
      (await this.#readList(`${base}/referrers/${digest}`, reference, signal)) ??
      (await this.#readList(`${base}/manifests/${digest.replace(':', '-')}`, reference, signal)) ??
      []
    const signatures: ImageSignature[] = []
    const found = list.map(toFields).filter(({ artifactType }) => isBundleType(artifactType))
    for (const { digest: manifest } of found.slice(0, MAX_SIGNATURES)) {
      if (!isDigest(manifest)) continue
      const { value } = await this.#readDocument(reference, manifest, signal)
      const layer = toLayers(value, reference).find(({ mediaType }) => isBundleType(mediaType))
      if (layer === undefined) continue
      signatures.push({ bundle: parseObject(await this.#readSmall(reference, layer, signal), reference) })
    }
    return [
      ...signatures,
      ...(await this.#readOlderSignatures(`${base}/manifests/${digest.replace(':', '-')}.sig`, reference, signal)),
    ]
  }

  /** Signatures of the older form, under a tag of their own. */
  async #readOlderSignatures(
    url: string,
    reference: ImageReference,
    signal: AbortSignal,
  ): Promise<readonly ImageSignature[]> {
    await using reply = await this.#fetch(url, reference, signal)
    if (reply.status !== 200) return []
    const manifest = parseObject(await reply.bytes(), reference)
    const annotations = (readList(manifest, 'layers') ?? []).map((layer) => toFields(toFields(layer).annotations))
    const found: ImageSignature[] = []
    for (const [index, layer] of toLayers(manifest, reference).slice(0, MAX_SIGNATURES).entries()) {
      if (layer.mediaType !== SIMPLE_SIGNING_TYPE) continue
      const signature = toImageSignature(annotations[index] ?? {}, await this.#readSmall(reference, layer, signal))
      if (signature !== undefined) found.push(signature)
    }
    return found
  }

  async #readList(
    url: string,
    reference: ImageReference,
    signal: AbortSignal,
  ): Promise<readonly unknown[] | undefined> {
    await using reply = await this.#fetch(url, reference, signal)
    return reply.status === 200 ? readList(parseObject(await reply.bytes(), reference), 'manifests') : undefined
  }

  /** A small layer, checked. */
  async #readSmall(reference: ImageReference, layer: ImageLayer, signal: AbortSignal): Promise<Uint8Array> {
    const { url } = this.layerSource(reference, layer)
    await using reply = await this.#fetch(url, reference, signal)
    const bytes = await reply.bytes()
    const digest = `sha256:${hash('sha256', bytes, 'hex')}`
    if (digest !== layer.digest) throw broken(reference, 'a signature does not have its digest')
    return bytes
  }

  layerSource(reference: ImageReference, { digest }: ImageLayer): DownloadSource {
    const origin = toRegistryOrigin(reference.registry)
    const authorization = this.#tokens.get(toTokenKey(reference))
    return {
      url: `${origin}/v2/${reference.repository}/blobs/${digest}`,
      trust: 'public',
      ...(authorization === undefined ? {} : { credentials: { origin, authorization } }),
    }
  }

  async #readDocument(
    reference: ImageReference,
    wanted: string,
    signal: AbortSignal,
  ): Promise<{ readonly digest: string; readonly value: Readonly<Record<string, unknown>> }> {
    const url = `${toRegistryOrigin(reference.registry)}/v2/${reference.repository}/manifests/${wanted}`
    await using reply = await this.#fetch(url, reference, signal)
    if (reply.status !== 200)
      throw broken(reference, `the registry answers with status ${reply.status}${this.#explainWithheld()}`)
    const bytes = await reply.bytes()
    const digest = `sha256:${hash('sha256', bytes, 'hex')}`
    if (isDigest(wanted) && digest !== wanted) throw broken(reference, 'a manifest does not have its digest')
    return { digest, value: parseObject(bytes, reference) }
  }

  /** Asks, and once again with a token where the registry wants one. */
  async #fetch(url: string, reference: ImageReference, signal: AbortSignal): Promise<OutboundResponse> {
    const reply = await this.#send(url, reference, this.#request(reference, signal))
    if (reply.status !== 401) return reply
    const challenge = reply.headers['www-authenticate'] ?? ''
    await reply.close()
    this.#tokens.set(toTokenKey(reference), await this.#authorize(challenge, reference, signal))
    return this.#send(url, reference, this.#request(reference, signal))
  }

  async #send(url: string, reference: ImageReference, request: OutboundRequest): Promise<OutboundResponse> {
    try {
      return await this.#client.fetch(url, request)
    } catch (error) {
      throw nameFetchFailure(error, `the image ${formatImageReference(reference)}`)
    }
  }

  #request(reference: ImageReference, signal: AbortSignal): OutboundRequest {
    const origin = toRegistryOrigin(reference.registry)
    const authorization = this.#tokens.get(toTokenKey(reference))
    return {
      signal,
      trust: 'public',
      maxBytes: MAX_MANIFEST_BYTES,
      timeoutMs: FETCH_MS,
      redirects: MAX_REDIRECTS,
      headers: { accept: MANIFEST_TYPES.join(', ') },
      ...(authorization === undefined ? {} : { credentials: { origin, authorization } }),
    }
  }

  /**
   * The credentials that a challenge asks for: those of the registry, or a token bought with them. A token service that
   * may not get them is asked anonymously. Credentials of other registries are never used: the token would go to this one.
   */
  async #authorize(challenge: string, reference: ImageReference, signal: AbortSignal): Promise<string> {
    const own = findRegistryCredentials(this.#credentials, reference.registry)
    const { scheme, parameters } = readChallenge(challenge) ?? {}
    if (scheme === 'basic') {
      if (own === undefined) throw broken(reference, 'the registry wants a name and a password')
      return own.authorization
    }
    const realm = parameters?.get('realm')
    if (realm === undefined || !URL.canParse(realm)) {
      throw broken(reference, 'the registry asks for credentials in a way that is not known')
    }
    const url = new URL(realm)
    const service = parameters?.get('service')
    if (service !== undefined) url.searchParams.set('service', service)
    // Never what the challenge says: it could ask for a token that does more.
    url.searchParams.set('scope', `repository:${reference.repository}:pull`)
    const given = own !== undefined && mayGetCredentials(url, reference.registry, own) ? own : undefined
    await using reply = await this.#send(url.href, reference, {
      signal,
      trust: 'public',
      maxBytes: MAX_TOKEN_BYTES,
      timeoutMs: FETCH_MS,
      ...(given === undefined ? {} : { credentials: { origin: url.origin, authorization: given.authorization } }),
    })
    if (own !== undefined && given === undefined) this.#withheldFrom = url.host
    if (reply.status !== 200)
      throw broken(reference, `its token service answers with status ${reply.status}${this.#explainWithheld()}`)
    const fields = parseObject(await reply.bytes(), reference)
    const token = [fields.token, fields.access_token].find(
      (one) => typeof one === 'string' && /^[\x21-\x7e]+$/.test(one),
    )
    if (typeof token !== 'string') throw broken(reference, 'its token service gives no token')
    return `Bearer ${token}`
  }

  #explainWithheld(): string {
    if (this.#withheldFrom === undefined) return ''
    return `; its credentials were not sent to ${this.#withheldFrom}, which --credentials-file can list under token_hosts`
  }

  #choosePlatform(manifests: readonly unknown[], reference: ImageReference): string {
    const { os, architecture } = this.#platform
    for (const item of manifests) {
      const { platform, digest } = toFields(item)
      const fields = toFields(platform)
      if (fields.os === os && fields.architecture === architecture && isDigest(digest)) return digest
    }
    throw broken(reference, `it has no image for ${os}/${architecture}`)
  }
}

function toLayers(manifest: Readonly<Record<string, unknown>>, reference: ImageReference): readonly ImageLayer[] {
  const layers = readList(manifest, 'layers')
  if (layers === undefined || layers.length > MAX_LAYERS) throw broken(reference, 'its manifest lists no layers')
  return layers.map((item) => {
    const { digest, size, mediaType } = toFields(item)
    if (!isDigest(digest) || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
      throw broken(reference, 'its manifest lists a layer without digest or size')
    }
    return { digest, sizeBytes: size, mediaType: typeof mediaType === 'string' ? mediaType : '' }
  })
}

function parseObject(bytes: Uint8Array, reference: ImageReference): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return toFields(value)
  } catch (error) {
    throw broken(reference, 'the registry answers with something that is not JSON', error)
  }
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function readList(value: Readonly<Record<string, unknown>>, key: string): readonly unknown[] | undefined {
  const list = value[key]
  return Array.isArray(list) ? list : undefined
}

function isBundleType(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith(BUNDLE_TYPE)
}

function toTokenKey({ registry, repository }: ImageReference): string {
  return `${registry}/${repository}`
}

function toArchitecture(architecture: string): string {
  return { x64: 'amd64', ia32: '386' }[architecture] ?? architecture
}

function broken(reference: ImageReference, reason: string, cause?: unknown): SvcError {
  return new SvcError('upstream_failed', `the image ${formatImageReference(reference)} cannot be had: ${reason}`, {
    code: 'image_failed',
    ...(cause === undefined ? {} : { cause }),
  })
}
