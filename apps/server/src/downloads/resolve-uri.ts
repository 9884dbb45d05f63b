import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '@svc/errors'
import type { Trust } from '../outbound/failures.ts'
import type { Credentials } from './credentials.ts'
import type { DownloadSource } from './download-source.ts'

/** Where the addresses of galleries lead. */
export type ResolvedUri =
  | {
      readonly kind: 'http'
      readonly source: DownloadSource
      /** `owner/repo` of a file at the model hub. */
      readonly repository?: string | undefined
    }
  /** A file below the models folder. */
  | { readonly kind: 'file'; readonly path: string }
  /** An image of a registry, such as `registry.example/owner/name:tag`. */
  | { readonly kind: 'oci'; readonly reference: string }
  /** A file that holds an image. */
  | { readonly kind: 'oci-file'; readonly path: string }
  /** A model of the alternate ecosystem's registry. */
  | { readonly kind: 'ollama'; readonly reference: string }

/** The services behind the short forms of addresses. */
export interface UriServices {
  /** The model hub, without a slash at its end. */
  readonly hubUrl: string
  /** Bearer token, sent only to the hub. */
  readonly hubToken?: string | undefined
  /** `operator` where the configuration names the hub. */
  readonly hubTrust: Trust
  /** Raw files of the code host, without a slash at its end. */
  readonly codeHostUrl: string
  readonly codeHostTrust: Trust
  readonly credentials: Credentials
  /** The folder that `file://` is limited to. */
  readonly modelsPath: string
}

/** The public services. */
export const PUBLIC_HUB = 'https://huggingface.co'
export const PUBLIC_CODE_HOST = 'https://raw.githubusercontent.com'

const HUB_FORM = /^(?:(?:huggingface|hf):(?:\/\/)?|(?:https?:\/\/)?hf\.co\/)(.+)$/
const CODE_FORM = /^github:(?:\/\/)?(.+)$/

/**
 * Where an address of a gallery leads.
 *
 * @param trust who chose the address, for forms that name a host
 * @throws {SvcError} `invalid_request`, code `invalid_uri`
 */
export function resolveUri(uri: string, trust: Trust, services: UriServices): ResolvedUri {
  const hub = HUB_FORM.exec(uri)?.[1]
  if (hub !== undefined) return resolveHub(uri, hub, services)
  const code = CODE_FORM.exec(uri)?.[1]
  if (code !== undefined) return resolveCodeHost(uri, code, services)
  if (/^https?:\/\//.test(uri)) return { kind: 'http', source: toSource(uri, trust, services) }
  if (uri.startsWith('file://')) return { kind: 'file', path: fileBelow(uri.slice('file://'.length), services) }
  if (uri.startsWith('ocifile://'))
    return { kind: 'oci-file', path: fileBelow(uri.slice('ocifile://'.length), services) }
  if (uri.startsWith('oci://')) return { kind: 'oci', reference: uri.slice('oci://'.length) }
  if (uri.startsWith('ollama://')) return { kind: 'ollama', reference: uri.slice('ollama://'.length) }
  throw invalidUri(uri, 'its form is not known')
}

function toSource(url: string, trust: Trust, { credentials }: UriServices): DownloadSource {
  if (!URL.canParse(url)) throw invalidUri(url, 'it is not a URL')
  return { url, trust, credentials: credentials.find(url) }
}

/** The token of the hub, sent only to the hub; undefined without one. */
export function hubCredentials({ hubUrl, hubToken }: Pick<UriServices, 'hubUrl' | 'hubToken'>) {
  if (hubToken === undefined) return undefined
  return { origin: new URL(hubUrl).origin, authorization: `Bearer ${hubToken}` }
}

/** `owner/repo/path[@branch]` */
function resolveHub(uri: string, text: string, services: UriServices): ResolvedUri {
  const { hubUrl, hubTrust } = services
  const { path, reference } = splitReference(text)
  const [owner, repo, ...rest] = path.split('/')
  if (!owner || !repo || rest.length === 0 || rest.includes('')) throw invalidUri(uri, 'it is not owner/repo/path')
  if (hasDotSegment([owner, repo, reference ?? '', ...rest])) throw invalidUri(uri, 'a part of it is . or ..')
  const url = `${hubUrl}/${[owner, repo, 'resolve', reference ?? 'main', ...rest].map(encodeURIComponent).join('/')}`
  const source = toSource(url, hubTrust, services)
  const credentials = hubCredentials(services) ?? source.credentials
  return { kind: 'http', source: { ...source, credentials }, repository: `${owner}/${repo}` }
}

/** `owner/repo/path@ref` */
function resolveCodeHost(uri: string, text: string, services: UriServices): ResolvedUri {
  const { path, reference } = splitReference(text)
  const [owner, repo, ...rest] = path.split('/')
  if (!owner || !repo || rest.length === 0 || rest.includes('')) throw invalidUri(uri, 'it is not owner/repo/path@ref')
  const segments = [owner, repo, ...(reference ?? 'main').split('/'), ...rest]
  if (hasDotSegment(segments)) throw invalidUri(uri, 'a part of it is . or ..')
  const parts = segments.map(encodeURIComponent)
  const url = `${services.codeHostUrl}/${parts.join('/')}`
  return { kind: 'http', source: toSource(url, services.codeHostTrust, services) }
}

/** Whether a part of a path would lead to another place at its host. */
export function hasDotSegment(segments: readonly string[]): boolean {
  return segments.includes('.') || segments.includes('..')
}

function splitReference(text: string): { readonly path: string; readonly reference: string | undefined } {
  const at = text.lastIndexOf('@')
  return at < 0 ? { path: text, reference: undefined } : { path: text.slice(0, at), reference: text.slice(at + 1) }
}

function fileBelow(text: string, { modelsPath }: UriServices): string {
  const path = text.startsWith('/') ? toPath(text) : join(modelsPath, text)
  const inside = join(path)
  if (!isAbsolute(inside) || !inside.startsWith(join(modelsPath, '/'))) {
    throw invalidUri(`file://${text}`, 'only files below the models folder can be named')
  }
  return inside
}

function toPath(text: string): string {
  try {
    return fileURLToPath(`file://${text}`)
  } catch {
    throw invalidUri(`file://${text}`, 'it names no file')
  }
}

function invalidUri(uri: string, reason: string): SvcError {
  return new SvcError('invalid_request', `the address ${JSON.stringify(uri.slice(0, 200))} cannot be used: ${reason}`, {
    code: 'invalid_uri',
  })
}
