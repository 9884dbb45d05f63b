import { SvcError } from '@svc/errors'

/** The name of an image at a registry. */
export interface ImageReference {
  /** Host and port. */
  readonly registry: string
  readonly repository: string
  /** @default 'latest', where no digest is given */
  readonly tag: string
  /** `sha256:` and 64 digits. */
  readonly digest?: string | undefined
}

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i
const REPOSITORY = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** Whether a text without a scheme names an image: it begins with a host. */
export function isImageReference(text: string): boolean {
  const [host = '', ...rest] = text.split('/')
  return rest.length > 0 && (host.includes('.') || host.includes(':') || host === 'localhost') && HOST.test(host)
}

/** Takes `registry/repository:tag@digest` apart. @throws {SvcError} `invalid_request`, code `invalid_image` */
export function parseImageReference(text: string): ImageReference {
  const refuse = (reason: string): SvcError =>
    new SvcError('invalid_request', `${JSON.stringify(text.slice(0, 200))} names no image: ${reason}`, {
      code: 'invalid_image',
    })
  if (!isImageReference(text)) throw refuse('it does not begin with the host of a registry')
  const slash = text.indexOf('/')
  const registry = text.slice(0, slash)
  const [path = '', digest] = text.slice(slash + 1).split('@', 2)
  const colon = path.lastIndexOf(':')
  const repository = colon < 0 ? path : path.slice(0, colon)
  const tag = colon < 0 ? 'latest' : path.slice(colon + 1)
  if (!REPOSITORY.test(repository) || repository.length > 255) throw refuse('its repository is not one')
  if (!TAG.test(tag)) throw refuse('its tag is not one')
  if (digest !== undefined && !DIGEST.test(digest)) throw refuse('its digest is not a SHA-256')
  return { registry, repository, tag, ...(digest === undefined ? {} : { digest }) }
}

/** A reference with its digest, as text. */
export function formatImageReference({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}:${tag}${digest === undefined ? '' : `@${digest}`}`
}

/** Whether a text is a digest that content can be checked against. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST.test(text)
}
